import {
  FilePathSet,
  filePathFault,
  INDEX_PATH,
  normalizeFilePath,
} from '../../../../contract/rules/file-paths.ts';
import { fileType, isTextType } from '../../../../contract/rules/file-types.ts';
import {
  MAX_HTML_BYTES,
  MAX_PAGE_FILE_BYTES,
  MAX_PAGE_FILES,
  MAX_PAGE_FILES_BYTES,
  MAX_PAGE_NAME,
} from '../../../../contract/rules/limits.ts';
import {
  BUILD_OUTPUTS,
  findBuildCommand,
  hasRouter,
  needsBuild,
  readPackageJson,
} from '../../../../contract/rules/projects/builds.ts';
import { readTitle } from '../../../../contract/rules/projects/document-title.ts';
import {
  doubtName,
  doubtText,
  findSecret,
  MAX_DOUBT_BYTES,
} from '../../../../contract/rules/projects/doubtful-files.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { isOwnFile, readFolderSettings } from './page-settings.ts';
import type { FunctionPlan, ImportFile, PagePlan } from './plan.ts';
import { isHidden, readText, type Sorting } from './sorting.ts';

/** Folders that sites are often in without a build. */
const FOLDERS = ['public', 'docs', 'www', 'site'];

/** Where a site is. */
interface Root {
  /** Its folder, with a slash at its end; empty for the folder of the import itself. */
  folder: string;
  /** The path of its document in that folder. */
  document: string;
}

/** A site, or one document: everything in its folder, except what is not for everyone. */
export function planSite(
  sorting: Sorting,
  root: Root,
  fallbackName: string,
): { page: PagePlan; functions: FunctionPlan[] } | undefined {
  const html = takeDocument(sorting, root);
  if (html === undefined) return undefined;
  const { page, functions } = readFolderSettings(sorting);
  const files = takeFiles(sorting, root);
  if (files.length === 0) leaveMissing(sorting, html);
  const isSpa = page.settings.spa ?? isSinglePageApp(sorting, root, html);
  return {
    functions,
    page: {
      ...page,
      name: (page.name || readTitle(html) || fallbackName).slice(0, MAX_PAGE_NAME).toWellFormed(),
      html,
      settings: { ...page.settings, ...(isSpa && { spa: true }) },
      files,
    },
  };
}

/** The folder of a site. A project that was not built is left, with the command that builds it. */
export function findRoot(sorting: Sorting): Root | undefined {
  const json = readPackageJson(sorting.text('package.json') ?? '');
  const isProject = json !== undefined && needsBuild(json, sorting.text(INDEX_PATH));
  const folders = [
    ...(isProject ? [] : ['']),
    ...BUILD_OUTPUTS.map((name) => `${name}/`),
    ...(isProject && !json.packages.has('gatsby') ? [] : FOLDERS.map((name) => `${name}/`)),
  ];
  const folder = folders.find((each) => sorting.has(each + INDEX_PATH));
  if (folder !== undefined) return { folder, document: INDEX_PATH };
  if (isProject) {
    const names = sorting.open.map(({ path }) => path);
    const command = findBuildCommand(names).join(' ');
    const why = phrase('is a source, which browsers cannot show: run {command}, and import what that makes', {
      command,
    });
    for (const file of sorting.open) if (!isHidden(file.path)) sorting.leave(file, why);
    return undefined;
  }
  return findDocument(sorting);
}

/** A document that is not called index.html, if it is the only one, or the only index.html that is not too deep. */
function findDocument(sorting: Sorting): Root | undefined {
  const paths = sorting.open.map(({ path }) => path).filter((path) => !isHidden(path));
  const documents = paths.filter((path) => /^[^/]+\.html?$/i.test(path));
  if (documents.length === 1 && documents[0] !== undefined) return { folder: '', document: documents[0] };
  const indexes = paths.filter((path) => path.endsWith(`/${INDEX_PATH}`));
  const depth = (path: string) => path.split('/').length;
  const least = indexes.reduce((lowest, path) => Math.min(lowest, depth(path)), Number.POSITIVE_INFINITY);
  const [first, second] = indexes.filter((path) => depth(path) === least);
  if (first === undefined || second !== undefined) return undefined;
  return { folder: first.slice(0, -INDEX_PATH.length), document: INDEX_PATH };
}

function takeDocument(sorting: Sorting, { folder, document }: Root): string | undefined {
  const file = sorting.find(folder + document);
  if (!file) return undefined;
  const html = readText(file);
  const why = documentFault(file, html);
  if (why) {
    sorting.leave(file, why);
    return undefined;
  }
  sorting.take(file, 'document');
  return html;
}

function documentFault({ size }: ImportFile, html: string | undefined): Text | undefined {
  if (size > MAX_HTML_BYTES)
    return phrase('has {size} bytes; a document can have at most {max}', { size, max: MAX_HTML_BYTES });
  if (html === undefined) return phrase('must be UTF-8 text without NUL characters');
  return html === '' ? phrase('must not be empty') : findSecret(html);
}

/** The files beside the document. Those outside the folder of the site are left to the end. */
function takeFiles(sorting: Sorting, { folder }: Root): PagePlan['files'] {
  const paths = new FilePathSet();
  paths.add(INDEX_PATH);
  const files: PagePlan['files'] = [];
  let bytes = 0;
  for (const file of sorting.open) {
    if (!file.path.startsWith(folder)) continue;
    const path = normalizeFilePath(file.path.slice(folder.length));
    if (isHidden(path)) continue;
    const why = fileFault(path, file, { count: files.length, bytes }) ?? paths.add(path);
    if (why) {
      sorting.leave(file, why);
      continue;
    }
    bytes += file.size;
    files.push({ path, file });
    sorting.take(file, 'file');
  }
  return files;
}

/** Why a file is not published. `taken` is what the page has so far. */
function fileFault(
  path: string,
  file: ImportFile,
  taken: { count: number; bytes: number },
): Text | undefined {
  const { size } = file;
  if (isOwnFile(path)) return phrase('is sent by quire pages push only');
  if (size > MAX_PAGE_FILE_BYTES)
    return phrase('has {size} bytes; a file can have at most {max}', { size, max: MAX_PAGE_FILE_BYTES });
  if (taken.count >= MAX_PAGE_FILES)
    return phrase('is one too many: a page can have at most {count} files', { count: MAX_PAGE_FILES });
  if (taken.bytes + size > MAX_PAGE_FILES_BYTES)
    return phrase('does not fit: the files of a page can have at most {max} bytes together', {
      max: MAX_PAGE_FILES_BYTES,
    });
  return filePathFault(path) ?? doubtName(path) ?? doubtContent(path, file);
}

function doubtContent(path: string, file: ImportFile): Text | undefined {
  const type = fileType(path);
  // Files of an unknown type may be settings.
  const isRead = file.size <= MAX_DOUBT_BYTES && (isTextType(type) || type === 'application/octet-stream');
  return isRead ? doubtText(path, Buffer.from(file.bytes()).toString()) : undefined;
}

/** Addresses that a document shows, loads or plays. */
const NAMED =
  /<(?:img|script|link|source|video|audio|iframe)\b[^<>]{0,500}?\s(?:src|href)\s{0,5}=\s{0,5}["']?([^"'<>\s]{1,300})/gi;
const MAX_MISSING = 50;

/** Names the files that a document needs and that did not come with it. */
function leaveMissing(sorting: Sorting, html: string): void {
  const missing = new Set<string>();
  for (const [, address = ''] of html.matchAll(NAMED)) {
    if (!/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)) missing.add(address);
    if (missing.size >= MAX_MISSING) break;
  }
  for (const address of missing)
    sorting.leaveSetting(address, phrase('is named in the document, but it is not among the files'));
}

/** Whether a site shows many addresses with one document, as far as its files say. */
function isSinglePageApp(sorting: Sorting, { folder }: Root, html: string): boolean {
  if (sorting.has(`${folder}200.html`)) return false;
  const json = readPackageJson(sorting.text('package.json') ?? '');
  if (json && hasRouter(json)) return true;
  // Hosts without rewrites show a copy of the document for every address.
  return sorting.text(`${folder}404.html`) === html;
}
