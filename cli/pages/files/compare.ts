import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { PageFile } from '../../../contract/pages/files/page-file.ts';
import { readIgnoreRules } from '../../project/files/ignore.ts';
import { hashFile } from '../../project/files/read.ts';
import { walk } from '../../project/files/scan.ts';
import { CommandError, EXIT } from '../../usage.ts';

/** What a pull does with the files of a folder. */
export interface PullPlan {
  /** Files to download, and where they belong in the folder. */
  write: Array<PageFile & { name: string }>;
  /** Files that were there at the last push or pull, unchanged since, and that the page no longer has. */
  remove: string[];
  /** Files with changes that would be lost. */
  unsaved: string[];
  /** The hashes of all files of the page. */
  hashes: Record<string, string>;
  /** Files of the page whose names mean something else in a folder. */
  skipped: string[];
}

/**
 * Compares a folder with the files of a page. `known` has the hashes at the last push or pull, and `isOwn` says which
 * paths mean something else in a folder.
 */
export async function planPull(
  folder: string,
  remote: PageFile[],
  known: Record<string, string>,
  isOwn: (path: string) => boolean,
): Promise<PullPlan> {
  const names = await namesOnDisk(folder);
  const findName = (path: string) => names.get(path) ?? path;
  const plan: PullPlan = { write: [], remove: [], unsaved: [], hashes: {}, skipped: [] };
  const wanted = new Set(remote.map(({ path }) => path));
  for (const [path, hash] of Object.entries(known)) {
    if (wanted.has(path) || isOwn(path) || !names.has(path)) continue;
    const present = await look(folder, findName(path));
    if (present.kind === 'file' && present.hash === hash) plan.remove.push(findName(path));
  }
  for (const file of remote) {
    const name = findName(file.path);
    if (isOwn(file.path)) {
      plan.skipped.push(file.path);
      continue;
    }
    plan.hashes[file.path] = file.hash;
    const present = await look(folder, name, plan.remove);
    if (present.kind !== 'none' && present.hash === file.hash) continue;
    plan.write.push({ ...file, name });
    if (present.kind === 'link' || (present.kind === 'file' && present.hash !== known[file.path]))
      plan.unsaved.push(file.path);
  }
  return plan;
}

/** The names of files by their paths in the page: another form of Unicode can be on disk. */
async function namesOnDisk(folder: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  if (!(await lstat(folder).catch(() => undefined))) return names;
  for await (const { path, file } of walk(folder, await readIgnoreRules(folder)))
    names.set(path, file.slice(join(folder, '/').length));
  return names;
}

type Present = { kind: 'none'; hash?: undefined } | { kind: 'file' | 'link'; hash: string | undefined };

/** What is at a path. Fails if a file cannot be written there. `removed` is what will be gone by then. */
async function look(folder: string, name: string, removed: string[] = []): Promise<Present> {
  const parts = name.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const at = parts.slice(0, count).join('/');
    const path = join(folder, at);
    const found = await lstat(path).catch(() => undefined);
    if (!found || removed.includes(at)) return { kind: 'none' };
    const isLast = count === parts.length;
    if (isLast && found.isFile()) return { kind: 'file', hash: (await hashFile(path)).hash };
    if (isLast && found.isSymbolicLink()) return { kind: 'link', hash: await hashInside(folder, path) };
    if (isLast && found.isDirectory() && removed.some((each) => each.startsWith(`${at}/`)))
      return { kind: 'none' };
    if (isLast || !found.isDirectory()) throw blocked(path, isLast ? 'a file' : 'a folder');
  }
  return { kind: 'none' };
}

/** The hash of what a link leads to, if that is in the folder. */
async function hashInside(folder: string, path: string): Promise<string | undefined> {
  const [inside, real] = await Promise.all([realpath(folder), realpath(path)]).catch(() => []);
  if (inside === undefined || real === undefined || !real.startsWith(inside + sep)) return undefined;
  return (await hashFile(real).catch(() => undefined))?.hash;
}

function blocked(path: string, what: string): CommandError {
  return new CommandError(
    `${path} is in the way: the page has ${what} there. Move it, or pull into another folder.`,
    EXIT.conflict,
  );
}
