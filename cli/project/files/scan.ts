import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { FilePathSet, filePathFault, normalizeFilePath } from '../../../contract/rules/file-paths.ts';
import { CommandError } from '../../usage.ts';
import { TYPES_FILE } from '../generated.ts';
import { type Ignores, readIgnoreRules } from './ignore.ts';
import { inParallel } from './in-parallel.ts';
import { type LeftOut, RECORDS, type Reason } from './left-out.ts';
import { faultsOfSize, MAX_COUNTED } from './limits.ts';
import { hashFile, WHAT_TO_DO } from './read.ts';
import { sayFault } from './say-fault.ts';

/** The files of a folder that are files of the page. */

/** Files in the folder that describe the page. They are not served. */
const OWN = ['index.html', 'page.json', 'agent-spec.md', 'function.js', 'function.ts'];
const MAX_FAULTS = 10;
const HASHED_AT_ONCE = 4;

export interface LocalFile {
  /** Its path in the page: with slashes, in the normal form of Unicode. */
  path: string;
  /** Where it is on this machine. */
  file: string;
  size: number;
  hash: string;
}

/** Whether a path in a folder is part of what Quire itself reads there. Some file systems ignore the case of names. */
export function isOwnFile(path: string): boolean {
  return OWN.includes(path.toLowerCase()) || isModule(path) || isData(path);
}

/** The modules of the function. */
const isModule = (path: string) => /^function\//i.test(path);
const isData = (path: string) => /^data\/[^/]+\.ndjson$/i.test(path);

/** What is sent of a folder, and what is not. */
interface Scanned {
  files: LocalFile[];
  left: LeftOut[];
}

interface ScanOptions {
  /** The folder of the project, if the folder is the output of its build. Files that only Quire reads are in the project. */
  project?: string | undefined;
  /** The files of the function beside the document. */
  modules?: Record<string, string> | undefined;
  /** The folders of functions. */
  folders?: string[];
}

/** Finds and hashes the files of a page. Fails with everything that cannot be sent, before anything is. */
export async function scanFiles(
  folder: string,
  { project, modules = {}, folders = [] }: ScanOptions = {},
): Promise<Scanned> {
  const ignores = await readIgnoreRules(folder, project);
  const own = project === undefined ? OWN : OWN.slice(0, 1);
  const paths = new FilePathSet();
  for (const name of own) paths.add(name);
  const found: Array<Omit<LocalFile, 'hash'>> = [];
  const faults: string[] = [];
  const left: LeftOut[] = [];
  const onLeft = (path: string, why: Reason) => {
    if (!isForQuire(path) && path !== `function/${TYPES_FILE}`) left.push({ path, why });
  };
  for await (const { path, file, isLink } of walk(folder, ignores, { onLeft })) {
    if (own.includes(path)) continue;
    if (project === undefined && folders.some((each) => path.startsWith(each))) continue;
    if (project === undefined && Object.hasOwn(modules, path)) continue;
    if (project === undefined && (isModule(path) || isData(path))) {
      onLeft(path, isData(path) ? RECORDS : 'no function imports it');
      continue;
    }
    const { size, fault = filePathFault(path) ?? paths.add(path) } = await look(
      folder,
      file,
      isLink,
      ignores,
    );
    if (fault) faults.push(`${file} ${sayFault(fault)}. ${WHAT_TO_DO}`);
    found.push({ path, file, size });
    if (found.length > MAX_COUNTED) break;
  }
  faults.push(...faultsOfSize(folder, found));
  if (faults.length > 0) throw new CommandError(sayFaults(faults));
  const files: LocalFile[] = [];
  await inParallel(HASHED_AT_ONCE, found, async (each) => {
    files.push({ ...each, ...(await hashFile(each.file)) });
  });
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), left };
}

const isForQuire = (path: string) => /^\.quire(?:ignore$|\.json$|-pull-)/.test(path);

interface ScannedFile {
  path: string;
  file: string;
  isLink: boolean;
}

interface Walk {
  /** Called for each folder. */
  onFolder?(folder: string): void;
  /** Called for each file and each folder that is ignored. */
  onLeft?(path: string, why: Reason): void;
  /** What the paths begin with. */
  under?: string;
}

/** All files below a folder that are not ignored. */
export async function* walk(folder: string, ignores: Ignores, on: Walk = {}): AsyncGenerator<ScannedFile> {
  const { under = '' } = on;
  on.onFolder?.(folder);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw new CommandError(`Cannot read ${folder}: ${error.message}`);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = under + normalizeFilePath(entry.name);
    const file = join(folder, entry.name);
    const why = ignores(path, entry.isDirectory());
    if (why) {
      on.onLeft?.(entry.isDirectory() ? `${path}/` : path, why);
      continue;
    }
    if (entry.isDirectory()) yield* walk(file, ignores, { ...on, under: `${path}/` });
    else yield { path, file, isLink: entry.isSymbolicLink() };
  }
}

/** The size of a file, or why it cannot be sent. */
export async function look(
  folder: string,
  file: string,
  isLink: boolean,
  ignores: Ignores,
): Promise<{ size: number; fault?: string }> {
  const found = await stat(file).catch(() => undefined);
  const fault = (text: string) => ({ size: 0, fault: text });
  if (!found && isLink) return fault('links to a file that does not exist');
  if (!found) return fault('cannot be opened: its name is not valid UTF-8, or it was deleted just now');
  if (isLink) {
    const [inside, real] = await Promise.all([realpath(folder), realpath(file)]);
    if (!real.startsWith(inside.endsWith(sep) ? inside : inside + sep))
      return fault('links outside its folder');
    const names = relative(inside, real).split(sep);
    // A folder from someone else could publish the user's own .env with a link.
    const isHidden = names.some((_, index) =>
      ignores(names.slice(0, index + 1).join('/'), index < names.length - 1),
    );
    if (isHidden) return fault('links to a file that is not sent');
    if (found.isDirectory()) return fault('links to a folder');
  }
  return found.isFile() ? { size: found.size } : fault('is not a file');
}

function sayFaults(faults: string[]): string {
  const hidden = faults.length - MAX_FAULTS;
  return [
    ...faults.slice(0, MAX_FAULTS),
    ...(hidden > 0 ? [`And ${hidden} more.`] : []),
    'Nothing was sent.',
  ].join('\n');
}
