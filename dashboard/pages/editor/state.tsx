import { t } from '../../texts/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/** What visitors see, and what is saved or not saved besides, in a few words. */
export function WorkState({
  work,
  draftCount,
  isTakenDown,
}: {
  work: EditedPage;
  draftCount: number;
  /** Visitors see nothing then, whatever is saved. */
  isTakenDown: boolean;
}) {
  work.watch();
  const kind = work.isSaving
    ? 'saving'
    : work.isDirty || work.isWaiting
      ? 'unsaved'
      : work.known.draft || isTakenDown
        ? 'draft'
        : 'saved';
  return (
    <p class={`page-state ${kind}`} role="status">
      <span>{wordsFor(work, draftCount, work.isPublished && !isTakenDown)}</span>
    </p>
  );
}

function wordsFor(
  { isSaving, isWaiting, isDirty, edits, known }: EditedPage,
  draftCount: number,
  isLive: boolean,
): string {
  const version = String(known.version);
  if (isSaving) return t('Saving…');
  if (isWaiting) return t('Offline · publishes when you are back');
  if (isDirty) return t('{count|Unsaved changes|Unsaved changes in {count} files}', { count: edits.size });
  if (known.draft)
    return isLive ? t('Draft saved · version {version} is live', { version }) : t('Draft saved');
  if (!isLive) return t('Saved · version {version}', { version });
  return draftCount > 0
    ? t('Live · version {version} · {count|1 draft|{count} drafts}', { version, count: draftCount })
    : t('Live · version {version}', { version });
}
