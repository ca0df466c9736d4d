import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { areSame, changedFiles, describeFiles } from '../files/change.ts';
import { type Manifest, writeManifest } from '../files/manifest.ts';
import type { SentBytes } from '../files/page-files.ts';
import { putManifest, readManifest } from '../files/store.ts';
import { type DraftRow, sizeOfDraft, updateDraft } from '../model/draft-store.ts';
import { hashHtml } from '../model/version-store.ts';
import { type DraftContext, type DraftName, lockDraft } from './find.ts';
import { purgeAfterChange } from './purge-files.ts';
import { readBack } from './save.ts';

interface DraftFilesChange {
  revision: number | undefined;
  /** The new document, if it changes, and its size. */
  html: { text: string; size: number } | undefined;
  sent: SentBytes[];
  /** The next files of the draft, as paths with hashes, from the current ones. */
  next(current: Manifest): Map<string, string>;
}

export interface ChangedDraft {
  page: PageRow;
  row: DraftRow;
  files: Manifest;
  /** Those that are new or different. */
  newFiles: Manifest;
}

/** Gives a draft other files, another document, or both. */
export async function changeDraftFiles(
  context: DraftContext,
  actor: Actor,
  name: DraftName,
  change: DraftFilesChange,
): Promise<ChangedDraft> {
  const changed = await context.files.keep(
    name.id,
    change.sent,
    async (tx, addToPage) => {
      const { page, found } = await lockDraft(context, tx, actor, name, change.revision);
      return applyChange(context, tx, { page, found, actor }, change, addToPage);
    },
    { isForDraft: true },
  );
  if (changed.hasNewFiles) await purgeAfterChange(context, name.id);
  return changed;
}

async function applyChange(
  context: DraftContext,
  tx: Tx,
  { page, found, actor }: { page: PageRow; found: DraftRow; actor: Actor },
  { html, sent, next }: DraftFilesChange,
  addToPage: (page: PageRow) => Promise<void>,
): Promise<ChangedDraft & { hasNewFiles: boolean }> {
  const current = await readManifest(tx, found.manifest_id);
  const files = await describeFiles(tx, page, { next: next(current), current, sent, now: context.now() });
  const hasNewFiles = !areSame(current, files);
  let manifestId = found.manifest_id;
  if (hasNewFiles) {
    await addToPage(page);
    manifestId = await saveManifest(context, tx, page, files);
  }
  const size = html?.size ?? found.size;
  await context.chargeUsage(tx, page.owner_id, {
    bytes: sizeOfDraft({ ...found, size }) - sizeOfDraft(found),
  });
  await updateDraft(tx, found.id, {
    manifest_id: manifestId,
    ...(html && { html_content: html.text, size, content_hash: hashHtml(html.text) }),
    revision: found.revision + 1,
    author_id: actor.userId,
    updated_at: context.now(),
  });
  return {
    page,
    row: await readBack(tx, page.id, found.id),
    files,
    newFiles: changedFiles(current, files),
    hasNewFiles,
  };
}

/** Saves a manifest and returns its id; null if there are no files. */
async function saveManifest(
  context: DraftContext,
  tx: Tx,
  page: PageRow,
  files: Manifest,
): Promise<number | null> {
  if (files.size === 0) return null;
  const { id, bytes } = await putManifest(tx, page.id, writeManifest(files), { isForDraft: true });
  if (bytes > 0) await context.chargeUsage(tx, page.owner_id, { bytes });
  return id;
}
