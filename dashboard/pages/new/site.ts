import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { type CreatedPage, createPage, deletePage, getPage, patchPage } from '../api.ts';
import { replaceByZip, replaceFiles, type SendOptions } from '../files/api.ts';
import { faultOfFiles } from '../files/check.ts';
import { type Chosen, type ChosenFile, insideOnlyFolder } from '../files/chosen.ts';
import { decodeText } from '../files/kind.ts';

/** A folder or an archive that becomes a page. */
export interface Site {
  /** What it is called on the person's disk. */
  source: string;
  /** A suggestion for the name of the page. */
  name: string;
  bytes: number;
  /** Undefined for an archive, which the service unpacks. */
  files: ReadonlyMap<string, File> | undefined;
  /** The archive, or the HTML of the page. */
  zip?: File;
  html: string;
}

/** The HTML of a page until the service has unpacked its archive. */
const UNPACKING = '<!doctype html>\n<title>Unpacking</title>\n';

const noIndexIn = (name: string) =>
  new Error(t('{name} has no index.html at its top. That is the file that visitors see first.', { name }));

/** Reads what a person dropped or chose. Fails if it cannot become a page. */
export async function readSite({ files: chosen }: Chosen): Promise<Site | undefined> {
  const [first] = chosen;
  if (!first) return undefined;
  if (chosen.length === 1 && /\.zip$/i.test(first.path)) {
    const { file } = first;
    return {
      source: file.name,
      name: nameFrom(file.name),
      bytes: file.size,
      files: undefined,
      zip: file,
      html: UNPACKING,
    };
  }
  const { folder, files } = insideOnlyFolder(chosen);
  const index = findIndexFile(files);
  if (!index) throw noIndexIn(folder || first.path);
  const html = await decodeText(index.file);
  if (html === undefined)
    throw new Error(t('{path} is too large, or it is not UTF-8 text.', { path: index.path }));
  const others = files.filter((each) => each !== index);
  const fault = faultOfFiles(new Map(others.map(({ path, file }) => [path, file.size])));
  if (fault) throw new Error(fault);
  return {
    source: folder || first.path,
    name: readTitle(html) || nameFrom(folder || first.path),
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    files: new Map(others.map(({ path, file }) => [path, file])),
    html,
  };
}

/** The file that becomes the page itself: `index.html`, or the only HTML file. */
function findIndexFile(files: ChosenFile[]): ChosenFile | undefined {
  const named = files.find(({ path }) => path === INDEX_PATH);
  const documents = files.filter(({ path }) => /^[^/]+\.html?$/i.test(path));
  return named ?? (documents.length === 1 ? documents[0] : undefined);
}

const readTitle = (html: string) =>
  new DOMParser().parseFromString(html, 'text/html').title.trim().slice(0, MAX_PAGE_NAME);

/** `my-site.zip` becomes `My site`. */
function nameFrom(file: string): string {
  const words = file
    .replace(/\.[^.]+$/, '')
    .replace(/[-_]+/g, ' ')
    .trim();
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, MAX_PAGE_NAME);
}

/** Publishes a page with all its files. Nobody sees it before it is complete, and a failed attempt leaves nothing. */
export async function publishSite(
  site: Site,
  name: string,
  isDraft: boolean,
  options: SendOptions,
): Promise<CreatedPage['page']> {
  const page = await createPage({ name, html_content: site.html, is_published: false });
  try {
    await sendSite(page.id, site, options);
    if (!isDraft) await patchPage(page.id, { is_published: true });
    return page;
  } catch (error) {
    await deletePage(page.id).catch(() => undefined);
    throw error;
  }
}

async function sendSite(id: number, { files, zip, source }: Site, options: SendOptions): Promise<void> {
  if (files && files.size > 0) await replaceFiles(id, { kept: new Map(), sent: files }, options);
  if (!zip) return;
  await replaceByZip(id, zip, options);
  if ((await getPage(id)).html_content === UNPACKING) throw noIndexIn(source);
}
