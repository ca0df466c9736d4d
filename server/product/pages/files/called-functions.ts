import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { findCalledFunctions } from '../../../../contract/rules/projects/called-functions.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { PageFunctions } from '../../ports.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { findDocument } from '../model/page-store.ts';
import type { Manifest } from './manifest.ts';
import type { PageFiles } from './page-files.ts';
import { readManifest } from './store.ts';

/** Files that can call functions. */
const SCRIPT = /\.(?:m?js|html?)$/i;
const TEXT = /\.(?:m?js|html?|css|json|svg|txt|md)$/i;
/** What the document of a page is called beside its files. */
const DOCUMENT = 'index.html';
/** How much of a site is searched. */
const MAX_FILES = 200;
const MAX_BYTES = 4 * 1024 * 1024;

export interface CalledContext extends Pick<ChangeContext, 'db'> {
  files: Pick<PageFiles, 'readText'>;
  functions: PageFunctions;
}

/** The parts of a page that are new. */
interface NewParts {
  html: string | undefined;
  files?: Manifest;
}

/**
 * Makes the functions that a published page calls by name belong to it, if they belong to no page. Without new parts, the
 * whole page is searched.
 */
export async function addCalledFunctions(
  context: CalledContext,
  actor: Actor,
  page: PageRow,
  parts?: NewParts,
): Promise<void> {
  if (page.is_published !== 1) return;
  const called = new Set<string>();
  for await (const [, text] of readAll(context, parts ?? (await readParts(context, page)), SCRIPT))
    for (const slug of findCalledFunctions(text, MAX_PAGE_FUNCTIONS)) called.add(slug);
  if (called.size === 0) return;
  const slugs = [...called].slice(0, MAX_PAGE_FUNCTIONS);
  await context.db.transaction().execute((tx) => context.functions.addFree(tx, page, actor, slugs));
}

/** The texts of a page that its author wrote, by their paths: its document, and text files beside it. */
export async function readTexts(
  context: Pick<CalledContext, 'db' | 'files'>,
  page: Pick<PageRow, 'id'>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const [path, text] of readAll(context, await readParts(context, page), TEXT))
    texts.set(path, text);
  return texts;
}

async function* readAll(
  { files: stored }: Pick<CalledContext, 'files'>,
  { html, files = new Map() }: NewParts,
  paths: RegExp,
): AsyncGenerator<[path: string, text: string]> {
  yield [DOCUMENT, html ?? ''];
  for (const [path, hash] of listTexts(files, paths)) yield [path, (await stored.readText(hash)) ?? ''];
}

async function readParts({ db }: Pick<CalledContext, 'db'>, { id }: Pick<PageRow, 'id'>): Promise<NewParts> {
  const found = await findDocument(db, { id });
  return { html: found?.html_content, files: await readManifest(db, found?.manifest_id ?? null) };
}

function listTexts(files: Manifest, paths: RegExp): Array<[path: string, hash: string]> {
  const texts: Array<[string, string]> = [];
  let bytes = 0;
  for (const [path, { hash, size }] of files) {
    if (!paths.test(path) || bytes + size > MAX_BYTES) continue;
    bytes += size;
    texts.push([path, hash]);
    if (texts.length === MAX_FILES) break;
  }
  return texts;
}
