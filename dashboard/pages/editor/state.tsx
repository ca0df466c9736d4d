import { t } from '../../texts/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/** What visitors see, and what is saved or not saved besides, in a few words. */
export function WorkState({ work, draftCount }: { work: EditedPage; draftCount: number }) {
  work.watch();
  const kind = work.isSaving ? 'saving' : work.isDirty ? 'unsaved' : work.known.draft ? 'draft' : 'saved';
  return (
    <p class={`page-state ${kind}`} role="status">
      <span>{wordsFor(work, draftCount)}</span>
    </p>
  );
}

function wordsFor({ isSaving, isDirty, isPublished, edits, known }: EditedPage, draftCount: number): string {
  const version = String(known.version);
  if (isSaving) return t('Saving…');
  if (isDirty) return t('{count|Unsaved changes|Unsaved changes in {count} files}', { count: edits.size });
  if (known.draft)
    return isPublished ? t('Draft saved · version {version} is live', { version }) : t('Draft saved');
  if (!isPublished) return t('Saved · version {version}', { version });
  return draftCount > 0
    ? t('Live · version {version} · {count|1 draft|{count} drafts}', { version, count: draftCount })
    : t('Live · version {version}', { version });
}
