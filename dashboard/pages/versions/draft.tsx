import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { ApiError } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  ConfirmDialog,
  CopyButton,
  Dialog,
  Empty,
  formatMoment,
  Show,
  Skeleton,
  say,
  useLoad,
} from '../../ui/index.ts';
import { Compared, compareEntries, Note, Rendered } from '../../versions/index.tsx';
import { getVersion, type PageDetail, toPageScreen } from '../api.ts';
import { deleteDraft, getDraft, type LinkedDraft, patchDraft, publishDraft } from '../drafts/api.ts';
import { rememberDraft } from '../drafts/remembered.ts';
import { Difference } from './difference.tsx';
import { draftPart } from './draft-list.tsx';
import { toEntries } from './entries.ts';

interface ChosenProps {
  page: PageDetail;
  drafts: LinkedDraft[];
  chosen: string | undefined;
  onChange: () => Promise<unknown>;
}

/** The draft in the path; nothing if a version is chosen. */
export function ChosenDraft({ page, drafts, chosen, onChange }: ChosenProps) {
  const draft = drafts.find(({ id }) => draftPart(id) === chosen);
  if (draft) return <DraftDetail key={draft.id} page={page} draft={draft} onChange={onChange} />;
  return (
    <Empty title={t('This draft does not exist any more')}>
      {t('It was published or deleted. Choose another one, or a version.')}
    </Empty>
  );
}

/** Whether the path names a draft, which may be gone. */
export const isDraftPart = (chosen: string | undefined) => chosen?.startsWith('draft-') ?? false;

interface DraftProps {
  page: PageDetail;
  draft: LinkedDraft;
  onChange: () => Promise<unknown>;
}

function DraftDetail({ page, draft, onChange }: DraftProps) {
  const name = t('Draft {id}', { id: String(draft.id) });
  const until = formatMoment(draft.preview_expires_at);
  return (
    <section class="version" aria-label={name}>
      <header class="version-head">
        <div>
          <h2>{name}</h2>
          <p class="hint">
            {draft.author
              ? t('Saved {when} by {author}, based on version {version}', {
                  when: formatMoment(draft.updatedAt),
                  author: draft.author,
                  version: String(draft.base_version),
                })
              : t('Saved {when}, based on version {version}', {
                  when: formatMoment(draft.updatedAt),
                  version: String(draft.base_version),
                })}
          </p>
          <Note
            note={draft.note}
            of={name}
            onSave={async (note) => {
              await patchDraft(page.id, draft.id, { note });
              await onChange();
            }}
          />
        </div>
        <DraftActions page={page} draft={draft} onChange={onChange} />
      </header>
      <p class="version-link hint">
        <CopyButton text={draft.preview_url} label={t('Preview link')} />
        {t('Anyone with this link can see this draft until {until}.', { until })}
      </p>
      <DraftChanges page={page} draft={draft} />
    </section>
  );
}

function DraftActions({ page, draft, onChange }: DraftProps) {
  const [question, setQuestion] = useState<'delete' | 'moved-on'>();
  const leave = async (message: string) => {
    setQuestion(undefined);
    await onChange();
    say(message);
    navigate(toPageScreen(page.id, 'versions'));
  };
  const edit = () => {
    if (me.value) rememberDraft(me.value.id, page.id, draft.id);
    navigate(toPageScreen(page.id));
  };
  const publish = async (baseVersion?: number) => {
    try {
      const wish = baseVersion === undefined ? {} : { base_version: baseVersion };
      const { version } = await publishDraft(page.id, draft.id, { revision: draft.revision, ...wish });
      await leave(t('Published as version {version}.', { version: String(version) }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.body.currentVersion === undefined) throw error;
      setQuestion('moved-on');
    }
  };
  const remove = async () => {
    await deleteDraft(page.id, draft.id);
    await leave(t('The draft is deleted.'));
  };
  return (
    <div class="actions">
      <Button onClick={() => publish()}>{t('Publish')}</Button>
      <Button kind="quiet" onClick={edit}>
        {t('Open in the editor')}
      </Button>
      <Button kind="danger" onClick={() => setQuestion('delete')}>
        {t('Delete')}
      </Button>
      {question === 'delete' && <DeleteDialog onDelete={remove} onClose={() => setQuestion(undefined)} />}
      {question === 'moved-on' && (
        <PublishDialog
          page={page}
          draft={draft}
          onPublish={() => publish(page.versionCount)}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}

function DeleteDialog({ onDelete, onClose }: { onDelete: () => Promise<void>; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={t('Delete this draft?')}
      action={t('Delete draft')}
      onConfirm={onDelete}
      onClose={onClose}
    >
      <p>{t('Its text and the files that only it has are gone for good. The page stays as it is.')}</p>
    </ConfirmDialog>
  );
}

interface PublishDialogProps extends Omit<DraftProps, 'onChange'> {
  onPublish: () => Promise<void>;
  onClose: () => void;
}

/** The page has changed since the draft was started. */
function PublishDialog({ page, draft, onPublish, onClose }: PublishDialogProps) {
  return (
    <Dialog title={t('The published page has changed')} onClose={onClose}>
      <p>
        {t(
          'The page is at version {version}, and this draft was started from version {base}. If you publish it, version {version} stays in the version history.',
          { version: String(page.versionCount), base: String(draft.base_version) },
        )}
      </p>
      <div class="actions">
        <Button onClick={onPublish}>{t('Publish all the same')}</Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}

/** What publishing the draft would change. */
function DraftChanges({ page, draft }: Omit<DraftProps, 'onChange'>) {
  const pageId = page.id;
  const loaded = useLoad(
    async (signal) => {
      const [after, before] = await Promise.all([
        getDraft(pageId, draft.id, signal),
        getVersion(pageId, page.versionCount, signal),
      ]);
      const hasFiles = after.files.length > 0 || before.files.length > 0;
      const html = { before: before.html_content, after: after.html_content };
      return { changes: compareEntries(toEntries(before), toEntries(after), INDEX_PATH), html, hasFiles };
    },
    [pageId, draft.id, draft.revision, page.versionCount],
  );
  const what = t('Publishing this draft would change');
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {({ html, ...shown }) => (
        <div class="version-sides">
          <div>
            <Compared main={INDEX_PATH} what={what} {...shown}>
              {(change) => (
                <Difference
                  key={change.path}
                  {...{ pageId, change, html, what }}
                  before={{ version: page.versionCount }}
                  after={{ draft: draft.id }}
                />
              )}
            </Compared>
          </div>
          <Rendered
            key={`${draft.id} ${draft.revision}`}
            url={draft.preview_url}
            label={t('Preview of draft {id}', { id: String(draft.id) })}
          />
        </div>
      )}
    </Show>
  );
}
