import { useEffect, useState } from 'preact/hooks';
import type { BuilderRun } from '../../../contract/agents/builder.ts';
import type { DraftDetail } from '../../../contract/pages/drafts.ts';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Button, Dialog, Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import { TextDifference } from '../../versions/index.tsx';
import type { PageDetail } from '../api.ts';
import { deleteDraft, getDraft } from '../drafts/api.ts';
import type { EditedPage } from '../editor/work/edited-page.ts';
import { listFiles } from '../files/api.ts';
import { readDraftFile } from './api.ts';
import { discardFunctions, undoChanges } from './discard.ts';

interface ProposalProps {
  page: PageDetail;
  work: EditedPage;
  draft: number;
  /** Functions that were started for it. */
  functions: string[];
  /** What it has changed in functions of a branch. */
  changes: NonNullable<BuilderRun['changes']>;
  /** Called when it was accepted or rejected. */
  onSettled: () => void;
}

/** The changes that the builder proposes. Accepting puts them into the editor, where undo takes them back. */
export function Proposal({ page, work, draft, functions, changes, onSettled }: ProposalProps) {
  const [isComparing, setComparing] = useState(false);
  const loaded = useLoad((signal) => loadProposal(page.id, draft, signal), [page.id, draft]);
  const accept = async ({ html, files }: Proposed) => {
    for (const path of files) work.put(path, await readDraftFile(page.id, draft, path));
    work.put(INDEX_PATH, html);
    await deleteDraft(page.id, draft);
    onSettled();
    say(t('The changes are in the editor. Publish them when you like them.'));
  };
  const reject = async () => {
    await discardFunctions(page.id, functions);
    const kept = await undoChanges(page.id, changes);
    await deleteDraft(page.id, draft);
    onSettled();
    say(
      kept.length > 0
        ? t('Rejected. Somebody has changed {names} since, so look at Changes.', { names: kept.join(', ') })
        : t('Rejected. Nothing has changed.'),
    );
  };
  if (useGone(loaded.error, onSettled)) return null;
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={3} />}>
      {(proposed) => (
        <section class="builder-proposal" aria-label={t('Proposed changes')}>
          <Further files={proposed.files} functions={functions} changes={changes} />
          <div class="actions">
            <Button onClick={() => accept(proposed)}>{t('Accept')}</Button>
            <Button kind="quiet" onClick={() => setComparing(true)}>
              {t('Show changes')}
            </Button>
            <Button kind="bare" onClick={reject}>
              {t('Reject')}
            </Button>
          </div>
          <a href={proposed.previewUrl} target="_blank" rel="noopener">
            {t('Open the preview')}
          </a>
          {isComparing && (
            <Dialog title={t('Proposed changes')} onClose={() => setComparing(false)} wide>
              <TextDifference
                text={proposed.html}
                original={work.textNow(INDEX_PATH) ?? page.html_content}
                language="html"
                what={t('The builder changed')}
              />
              <div class="actions">
                <Button onClick={() => accept(proposed)}>{t('Accept')}</Button>
                <Button kind="quiet" onClick={() => setComparing(false)}>
                  {t('Close')}
                </Button>
              </div>
            </Dialog>
          )}
        </section>
      )}
    </Show>
  );
}

/** What it is about beside the document. */
function Further({
  files,
  functions,
  changes,
}: Pick<Proposed, 'files'> & Pick<ProposalProps, 'functions' | 'changes'>) {
  const changed = changes.map(({ slug }) => slug).join(', ');
  return (
    <>
      {files.length > 0 && <p class="hint">{t('It also changes {files}.', { files: files.join(', ') })}</p>}
      {functions.length > 0 && (
        <p class="hint">{t('Rejecting it also deletes {names}.', { names: functions.join(', ') })}</p>
      )}
      {changes.length > 0 && (
        <p class="hint">
          {t('Rejecting it also takes back what it changed in {names}.', { names: changed })}
        </p>
      )}
    </>
  );
}

/** Reports a proposal that was accepted or rejected in another window. */
function useGone(error: Error | undefined, onSettled: () => void): boolean {
  const isGone = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isGone) onSettled();
  }, [isGone]);
  return isGone;
}

interface Proposed {
  html: string;
  previewUrl: string;
  /** The paths of files that it adds or changes. */
  files: string[];
}

async function loadProposal(pageId: number, draft: number, signal: AbortSignal): Promise<Proposed> {
  const [detail, live]: [DraftDetail, { path: string; hash: string }[]] = await Promise.all([
    getDraft(pageId, draft, signal),
    listFiles(pageId, signal),
  ]);
  const hashes = new Map(live.map(({ path, hash }) => [path, hash]));
  const files = detail.files.filter(({ path, hash }) => hashes.get(path) !== hash).map(({ path }) => path);
  return { html: detail.html_content, previewUrl: detail.preview_url, files };
}
