import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageWithExtras } from '../../../contract/pages/pages.ts';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { findCalledFunctions } from '../../../contract/rules/projects/called-functions.ts';
import type { Api } from '../../client/api.ts';
import { writeInside } from '../../project/texts.ts';
import { count } from '../../terminal/amounts.ts';
import type { Output } from '../../terminal/output.ts';
import { Downloads } from '../files/download.ts';
import { readFiles } from '../files/remote.ts';
import type { ExportReport } from './report.ts';
import { notePageUses } from './uses.ts';

/** The folder of static files in an export. */
const SITE = 'site';
/** Files that can call something. */
const HAS_CODE = /\.(?:html?|m?js)$/i;
const MAX_FUNCTIONS = 100;
/** The rules that many hosts of static files read. */
const REDIRECTS = '_redirects';

/** Writes the document and the files of a page. Returns the slugs of the functions that they call. */
export async function exportSite(
  api: Api,
  { page, versionCount: version }: PageWithExtras,
  { folder, report, out }: { folder: string; report: ExportReport; out: Output },
): Promise<Set<string>> {
  const site = join(folder, SITE);
  await mkdir(site);
  const files = await readFiles(api, page.id, version);
  const downloads = new Downloads(
    api,
    site,
    { id: page.id, version },
    {
      write: files.map((file) => ({ ...file, name: file.path })),
      remove: [],
      unsaved: [],
      hashes: {},
      skipped: [],
    },
  );
  try {
    await downloads.fetch(out);
    await writeInside(site, INDEX_PATH, page.html_content);
    await downloads.place();
  } finally {
    await downloads.end();
  }
  const slugs = new Set<string>();
  for (const path of [INDEX_PATH, ...files.map((file) => file.path).filter((each) => HAS_CODE.test(each))]) {
    const text = await readFile(join(site, path), 'utf8');
    notePageUses(report, `${SITE}/${path}`, text);
    for (const slug of findCalledFunctions(text, MAX_FUNCTIONS)) slugs.add(slug);
  }
  report.take(`${SITE}/`, count(files.length + 1, 'file'));
  if (page.spa && !files.some(({ path }) => path === '200.html')) {
    await appendFile(join(site, REDIRECTS), '\n/*  /index.html  200\n');
    report.take(`${SITE}/${REDIRECTS}`, 'sends the page at every address, as a single-page app needs it');
  }
  noteSettings(report, page);
  return slugs;
}

/** Settings that a host of static files does not have, or has elsewhere. */
function noteSettings(
  report: ExportReport,
  { access, isolation, is_published }: PageWithExtras['page'],
): void {
  if (!is_published)
    report.leave(SITE, 'is not published: only you and your team can see it. Elsewhere everyone can.');
  else if (access.mode !== 'public')
    report.leave(
      SITE,
      `is not for everyone (access: ${access.mode}). A host of static files shows it to everyone.`,
    );
  const headers = {
    'Cross-Origin-Opener-Policy': isolation.coop,
    'Cross-Origin-Embedder-Policy': isolation.coep,
  };
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) report.leave(SITE, `needs the header ${name}: ${value} from its host.`);
}
