import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { MAX_PAGE_FILES, MAX_PAGE_FILES_BYTES } from '../../../../contract/rules/limits.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { addVersion, assertBase } from '../model/add-version.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { lockPage, updatePage } from '../model/page-store.ts';
import { currentState, hashHtml } from '../model/version-store.ts';
import { addCalledFunctions } from './called-functions.ts';
import { keepWithVersion } from './draft-store.ts';
import { type FileEntry, type Manifest, sortFiles, totalBytes, writeManifest } from './manifest.ts';
import type { PageFiles, SentBytes } from './page-files.ts';
import { findBlobs, putManifest, readManifest } from './store.ts';
import { allTooLarge, tooMany, wrongFile } from './uploads/unpack.ts';
import type { Uploads } from './uploads/uploads.ts';

export interface FilesContext extends ChangeContext {
  files: PageFiles;
  uploads: Uploads;
  warnings: {
    find(html: string, userId: number, pageId: number): Promise<PageWarning[]>;
    findInFiles(files: Manifest, userId: number, pageId: number): Promise<PageWarning[]>;
    findInRules(pageId: number): Promise<PageWarning[]>;
  };
}

interface FilesChange {
  baseVersion: number | undefined;
  /** The new document, if it changes, and its size. */
  html: { text: string; size: number } | undefined;
  sent: SentBytes[];
  /** The next version's files, as paths with hashes, from those of the current one. */
  next(current: Manifest): Map<string, string>;
}

/** A page after a change. */
interface ChangedPage {
  page: PageRow;
  files: Manifest;
  /** Those that are new or different. */
  newFiles: Manifest;
}

/** Makes a new version with other files, another document, or both; none if everything stays the same. */
export async function changeFiles(
  context: FilesContext,
  actor: Actor,
  id: number,
  change: FilesChange,
): Promise<ChangedPage> {
  const added = await context.files.keep(id, change.sent, async (tx, addToPage) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    assertBase(page, change.baseVersion);
    return applyChange(context, tx, page, { ...change, authorId: actor.userId, addToPage });
  });
  if (!added.isChanged) return added;
  context.changed(id);
  await addCalledFunctions(context, actor, added.page, { html: change.html?.text, files: added.newFiles });
  return added;
}

async function applyChange(
  context: FilesContext,
  tx: Tx,
  page: PageRow,
  change: FilesChange & { authorId: number; addToPage(page: PageRow): Promise<void> },
): Promise<ChangedPage & { isChanged: boolean }> {
  const { html, sent, next, authorId, addToPage } = change;
  const state = await currentState(tx, page);
  const current = await readManifest(tx, state.manifest_id);
  const files = await describeFiles(tx, page, { next: next(current), current, sent, now: context.now() });
  const hasNewHtml = html !== undefined && hashHtml(html.text) !== state.content_hash;
  const hasNewFiles = !areSame(current, files);
  if (!hasNewHtml && !hasNewFiles) return { page, files: current, isChanged: false, newFiles: new Map() };

  await addToPage(page);
  const manifestId = hasNewFiles ? await saveManifest(context, tx, page, files) : state.manifest_id;
  const version = await addVersion(context, tx, page, {
    html: hasNewHtml ? html.text : undefined,
    size: hasNewHtml ? html.size : state.size,
    manifestId,
    authorId,
  });
  const changes = { version, updated_at: context.now() };
  await updatePage(tx, page.id, changes);
  return {
    page: { ...page, ...changes },
    files,
    isChanged: true,
    newFiles: changedFiles(current, files),
  };
}

/** The manifest of the next version, or of a draft, within the limits. */
export async function describeFiles(
  tx: Tx,
  page: PageRow,
  given: { next: Map<string, string>; current: Manifest; sent: SentBytes[]; now: number },
): Promise<Manifest> {
  const { next, current, sent, now } = given;
  if (next.size > MAX_PAGE_FILES) throw tooMany();
  const isSent = ({ content }: SentBytes) => content !== undefined;
  const sizes = new Map(sent.filter(isSent).map(({ hash, size }) => [hash, size]));
  for (const { hash, size } of current.values()) sizes.set(hash, size);
  const others = [...next.values()].filter((hash) => !sizes.has(hash));
  for (const [hash, { size }] of await findBlobs(tx, page.id, [...new Set(others)])) sizes.set(hash, size);
  const entries: Array<[string, FileEntry]> = [];
  for (const [path, hash] of next) {
    const size = sizes.get(hash);
    if (size === undefined)
      throw wrongFile(`keep.${path}`, 'is not the hash of a file that the page has or had. Send the file');
    const old = current.get(path);
    entries.push([path, old?.hash === hash ? old : { hash, size, updatedAt: now }]);
  }
  const files = sortFiles(entries);
  if (totalBytes(files) > MAX_PAGE_FILES_BYTES) throw allTooLarge();
  return files;
}

/** Saves a manifest and returns its id; null if there are no files. */
async function saveManifest(
  context: FilesContext,
  tx: Tx,
  page: PageRow,
  files: Manifest,
): Promise<number | null> {
  if (files.size === 0) return null;
  const { id, bytes } = await putManifest(tx, page.id, writeManifest(files));
  await keepWithVersion(tx, page.id, id, files);
  if (bytes > 0) await context.chargeUsage(tx, page.owner_id, { bytes });
  return id;
}

/** The files that are new or different. */
export const changedFiles = (before: Manifest, after: Manifest): Manifest =>
  new Map([...after].filter(([path, { hash }]) => before.get(path)?.hash !== hash));

export function areSame(a: Manifest, b: Manifest): boolean {
  if (a.size !== b.size) return false;
  for (const [path, { hash }] of a) if (b.get(path)?.hash !== hash) return false;
  return true;
}
