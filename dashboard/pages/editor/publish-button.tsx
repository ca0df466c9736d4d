import { t } from '../../texts/index.ts';
import { Button, Icon, Menu, type MenuItem } from '../../ui/index.ts';
import { useBuilderOffered } from '../builder/available.ts';
import type { EditedPage } from './work/edited-page.ts';

interface PublishProps {
  work: EditedPage;
  /** Opens the saved page in a browser on the server. Only its owner can. */
  onCheck: (() => void) | undefined;
  /** Asks for a note on the version. */
  onNote: () => void;
  /** Opens the builder. A phone has no other button for it. */
  onBuilder: () => void;
  onLeaveDraft: () => void;
  /** The screen with the drafts. */
  versions: string;
}

/** Saves and publishes: the main buttons of the editor, and a menu with what else can be done with the texts. */
export function PublishButton(props: PublishProps) {
  const { work } = props;
  work.watch();
  const isBuilderOffered = useBuilderOffered();
  const isIdle = !work.isDirty && !work.known.draft && work.isPublished;
  return (
    <>
      <Button
        kind="quiet"
        class="page-save"
        onClick={work.save}
        title={work.isPublished ? t('Save without publishing (Ctrl-S or ⌘S)') : t('Save (Ctrl-S or ⌘S)')}
        disabled={work.isSaving}
      >
        {work.isPublished ? t('Save draft') : t('Save')}
      </Button>
      <div class="split-button">
        <Button
          onClick={() => work.publish()}
          title={t('Publish (Ctrl-Shift-S or ⌘⇧S)')}
          disabled={work.isSaving || isIdle}
        >
          {t('Publish')}
        </Button>
        <Menu class="button" label={t('More actions')} items={itemsFor(props, isBuilderOffered)}>
          <Icon name="chevron-down" size={16} />
        </Menu>
      </div>
    </>
  );
}

function itemsFor(
  { work, onCheck, onNote, onBuilder, onLeaveDraft, versions }: PublishProps,
  isBuilderOffered: boolean,
): MenuItem[] {
  const { draft } = work.known;
  const canPublish = work.isDirty || draft !== undefined;
  return [
    { label: t('Publish with a note…'), icon: 'edit', disabled: !canPublish, onSelect: onNote },
    {
      label: work.isPublished ? t('Save draft') : t('Save'),
      icon: 'check',
      disabled: !work.isDirty,
      onSelect: work.save,
    },
    ...(draft
      ? [
          {
            label: t('Open the preview of the draft'),
            icon: 'external' as const,
            onSelect: () => open(draft.preview_url, '_blank', 'noopener'),
          },
          {
            label: t('Edit the published version'),
            icon: 'page' as const,
            disabled: work.isDirty,
            onSelect: onLeaveDraft,
          },
        ]
      : []),
    { label: t('Show drafts and versions'), icon: 'history', href: versions },
    ...(isBuilderOffered
      ? [
          {
            label: t('Describe a change'),
            icon: 'sparkle' as const,
            startsGroup: true,
            onSelect: onBuilder,
          },
        ]
      : []),
    ...(onCheck ? [{ label: t('Check the saved page'), icon: 'eye' as const, onSelect: onCheck }] : []),
    {
      label: t('Discard unsaved changes'),
      icon: 'trash',
      disabled: !work.isDirty,
      onSelect: work.discardAll,
    },
  ];
}
