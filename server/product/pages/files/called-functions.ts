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
  const { html, files = new Map() } = parts ?? (await readParts(context, page));
  const called = new Set(findCalledFunctions(html ?? '', MAX_PAGE_FUNCTIONS));
  for (const hash of listScripts(files))
    for (const slug of findCalledFunctions((await context.files.readText(hash)) ?? '', MAX_PAGE_FUNCTIONS))
      called.add(slug);
  if (called.size === 0) return;
  const slugs = [...called].slice(0, MAX_PAGE_FUNCTIONS);
  await context.db.transaction().execute((tx) => context.functions.addFree(tx, page, actor, slugs));
}

async function readParts({ db }: CalledContext, { id }: PageRow): Promise<NewParts> {
  const found = await findDocument(db, { id });
  return { html: found?.html_content, files: await readManifest(db, found?.manifest_id ?? null) };
}

function listScripts(files: Manifest): string[] {
  const scripts: string[] = [];
  let bytes = 0;
  for (const [path, { hash, size }] of files) {
    if (!SCRIPT.test(path) || bytes + size > MAX_BYTES) continue;
    bytes += size;
    scripts.push(hash);
    if (scripts.length === MAX_FILES) break;
  }
  return scripts;
}
