import { useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Button, ConfirmDialog, Dialog, Form, Menu, say, TextField } from '../../ui/index.ts';
import { deletePage, type PageDetail, patchPage, SHARE, toPageScreen } from '../api.ts';
import { publishDraft } from '../drafts/api.ts';
import { openAsPage } from '../editor/visual/mode.ts';
import { discardFunctions } from './discard.ts';
import { type BuilderRun, isWorking } from './run.ts';

interface ActionsProps {
  builder: BuilderRun;
  page: PageDetail;
  /** What can be published. */
  draft: number | undefined;
  onRename: () => void;
}

/** What to do with the page: publish it, go on by hand, or throw it away. */
export function StageActions({ builder, page, draft, onRename }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const state = builder.state.value;
  const isReady = draft !== undefined && !isWorking(state);
  const leave = (to: string) => {
    builder.reset();
    navigate(to);
  };
  const publish = async () => {
    if (draft === undefined) return;
    await publishDraft(page.id, draft, {});
    if (!page.is_published) await patchPage(page.id, { is_published: true });
    openAsPage(me.value?.id, page.id);
    leave(toPageScreen(page.id, SHARE));
  };
  const keep = async () => {
    if (draft !== undefined && !page.is_published) await publishDraft(page.id, draft, {});
    openAsPage(me.value?.id, page.id);
    leave(toPageScreen(page.id));
  };
  return (
    <>
      <Menu
        class="bar-button"
        label={t('More actions')}
        items={[
          { label: t('Name and address…'), icon: 'edit', onSelect: onRename },
          {
            label: t('Open in the editor'),
            icon: 'code',
            disabled: isWorking(state),
            onSelect: () => void keep().catch((error: Error) => say(error.message, 'bad')),
          },
          {
            label: t('Discard page…'),
            icon: 'trash',
            isDanger: true,
            startsGroup: true,
            disabled: isWorking(state) || page.is_published,
            onSelect: () => setAsking(true),
          },
        ]}
      />
      <Button onClick={publish} disabled={!isReady}>
        {t('Publish')}
      </Button>
      {isAsking && (
        <DiscardDialog
          page={page}
          functions={state.run?.functions ?? []}
          onClose={() => setAsking(false)}
          onDone={() => leave('/pages')}
        />
      )}
    </>
  );
}

interface DialogProps {
  page: PageDetail;
  onClose: () => void;
  onDone: () => void;
}

function DiscardDialog({ page, functions, onClose, onDone }: DialogProps & { functions: string[] }) {
  const discard = async () => {
    await discardFunctions(page.id, functions);
    await deletePage(page.id);
    say(t('Discarded.'));
    onDone();
  };
  return (
    <ConfirmDialog
      title={t('Discard this page?')}
      action={t('Discard page')}
      onConfirm={discard}
      onClose={onClose}
    >
      <p>
        {functions.length > 0
          ? t('The page and what was said about it are deleted, with {names}.', {
              names: functions.join(', '),
            })
          : t('The page and what was said about it are deleted.')}
      </p>
    </ConfirmDialog>
  );
}

/** The name and the address of the page. */
export function NameDialog({ page, onClose, onDone }: DialogProps) {
  const [name, setName] = useState(page.name);
  const [slug, setSlug] = useState(page.slug);
  const save = async () => {
    await patchPage(page.id, { name: name.trim(), ...(slug.trim() !== page.slug && { slug: slug.trim() }) });
    onDone();
  };
  return (
    <Dialog title={t('Name and address')} onClose={onClose}>
      <Form submit={t('Save')} onSubmit={save} onCancel={onClose} disabled={name.trim() === ''}>
        <TextField label={t('Name')} value={name} onInput={setName} maxLength={MAX_PAGE_NAME} />
        <TextField
          label={t('Address')}
          value={slug}
          onInput={setSlug}
          hint={`${location.host}/p/${slug.trim() || '…'}`}
        />
      </Form>
    </Dialog>
  );
}
