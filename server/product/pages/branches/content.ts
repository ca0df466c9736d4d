import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILES, MAX_PAGE_FILES_BYTES } from '../../../../contract/rules/limits.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { MergedFile, PageContent } from '../../merge-ports.ts';
import type { PageState } from '../../moment-ports.ts';
import {
  agentFunctionsSize,
  findAgentFunctions,
  saveAgentFunctions,
} from '../editing/agent-function-store.ts';
import { areSame } from '../files/change.ts';
import { shareFiles } from '../files/copy.ts';
import { digest } from '../files/digest.ts';
import { type FileEntry, type Manifest, sortFiles, totalBytes } from '../files/manifest.ts';
import type { PageFiles, SentBytes } from '../files/page-files.ts';
import { readManifest } from '../files/store.ts';
import { allTooLarge, tooMany } from '../files/uploads/unpack.ts';
import { findChanges } from '../history/page-history.ts';
import { addVersion } from '../model/add-version.ts';
import { measureHtml } from '../model/measure-html.ts';
import { lockPage, updatePage } from '../model/page-store.ts';
import { currentState, findVersion, hashHtml } from '../model/version-store.ts';
import type { RoutesContext } from '../routes.ts';

/** Texts that are larger are compared as a whole. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/** The document, files and settings of a state of a page. */
export async function readContent(
  { db, files }: { db: Db; files: PageFiles },
  pageId: number,
  state: PageState,
): Promise<PageContent> {
  const found = await findVersion(db, pageId, state.version);
  if (!found)
    throw notFound('Version {version} of this page was not found.', { version: String(state.version) });
  const entries: Array<[string, MergedFile]> = [...(await readManifest(db, found.manifest_id))].map(
    ([path, { hash, size }]) => [path, { hash, size, read: () => readText(files, hash, size) }],
  );
  const html = found.html_content;
  entries.push([INDEX_PATH, { hash: found.content_hash, size: found.size, read: async () => html }]);
  return { files: new Map(entries), settings: state.settings, agentFunctions: state.agentFunctions };
}

async function readText(files: PageFiles, hash: string, size: number): Promise<string | undefined> {
  if (size > MAX_COMPARED_BYTES) return undefined;
  const opened = await files.open(hash);
  if (!opened) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      await new Response(opened).arrayBuffer(),
    );
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** What the same transaction has done with functions: the slugs that they have on this page, by name. */
export interface Applied {
  slugs: ReadonlyMap<string, string>;
}

/**
 * Makes the document, files and settings of a page those of `content`, in one transaction with `work`, which gets the page as
 * it was, and `finish`, which gets the new version: undefined if the document and files are the same.
 */
export async function applyContent<Result extends Applied>(
  context: RoutesContext & { files: PageFiles },
  pageId: number,
  { content, by }: { content: PageContent; by: number },
  work: (tx: Tx, page: PageRow) => Promise<Result>,
  finish: (tx: Tx, result: Result, version: number | undefined) => Promise<void>,
): Promise<{ result: Result; version: number | undefined }> {
  const sent: SentBytes[] = [];
  const next = new Map<string, { hash: string; size: number }>();
  for (const [path, file] of content.files) {
    if (path === INDEX_PATH) continue;
    if (file.text === undefined) {
      next.set(path, file);
      continue;
    }
    const bytes = Buffer.from(file.text);
    const summed = await digest(bytes);
    sent.push({ ...summed, content: bytes });
    next.set(path, summed);
  }
  const html = await content.files.get(INDEX_PATH)?.read();
  return context.files.keep(pageId, sent, async (tx, addToPage) => {
    const page = await lockPage(tx, pageId);
    if (!page) throw notFound('This page was not found.');
    const result = await work(tx, page);
    await addToPage(page);
    const version = await saveFiles(context, tx, page, { next, html, by });
    const changes = findChanges(page, content);
    if (version !== undefined) changes.version = version;
    if (Object.keys(changes).length > 0)
      await updatePage(tx, page.id, { ...changes, updated_at: context.now() });
    await saveOffered(context, tx, page, content, result.slugs);
    await finish(tx, result, version);
    return { result, version };
  });
}

async function saveFiles(
  context: RoutesContext,
  tx: Tx,
  page: PageRow,
  given: { next: Map<string, { hash: string; size: number }>; html: string | undefined; by: number },
): Promise<number | undefined> {
  const { next, html, by } = given;
  const state = await currentState(tx, page);
  const current = await readManifest(tx, state.manifest_id);
  const files = describe(current, next, context.now());
  const hasNewHtml = html !== undefined && hashHtml(html) !== state.content_hash;
  const hasNewFiles = !areSame(current, files);
  if (!hasNewHtml && !hasNewFiles) return undefined;
  const size = hasNewHtml ? measureHtml(html) : state.size;
  const manifestId = hasNewFiles ? await shareFiles(context, tx, page, files) : state.manifest_id;
  return addVersion(context, tx, page, {
    ...{ html: hasNewHtml ? html : undefined, size, manifestId, authorId: by },
  });
}

function describe(
  current: Manifest,
  next: ReadonlyMap<string, { hash: string; size: number }>,
  now: number,
): Manifest {
  if (next.size > MAX_PAGE_FILES) throw tooMany();
  const files = sortFiles(
    [...next].map(([path, { hash, size }]): [string, FileEntry] => {
      const old = current.get(path);
      return [path, old?.hash === hash ? old : { hash, size, updatedAt: now }];
    }),
  );
  if (totalBytes(files) > MAX_PAGE_FILES_BYTES) throw allTooLarge();
  return files;
}

/** Offers the public functions to agents. */
async function saveOffered(
  { chargeUsage, findPublicFunctions }: RoutesContext,
  tx: Tx,
  page: PageRow,
  content: PageContent,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const current = await findAgentFunctions(tx, page.id);
  const agentFunctions = content.agentFunctions.map((each) => ({
    ...each,
    slug: names.get(each.slug) ?? each.slug,
  }));
  if (JSON.stringify(current) === JSON.stringify(agentFunctions)) return;
  const slugs = agentFunctions.map(({ slug }) => slug);
  const known = new Set(slugs.length === 0 ? [] : await findPublicFunctions(tx, page, slugs));
  const before = await agentFunctionsSize(tx, page.id);
  const offered = agentFunctions.filter(({ slug }) => known.has(slug));
  const bytes = (await saveAgentFunctions(tx, page.id, offered)) - before;
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes });
}
