import { createHash } from 'node:crypto';
import { lstat, mkdir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError, EXIT } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { assertInside, readIfThere } from './files/inside.ts';

/** Files of a folder that are sent and received as texts: documents, settings and modules of functions. */

/** WebAssembly travels as Base64. */
export const encodingFor = (path: string) => (/\.wasm$/i.test(path) ? 'base64' : 'utf8');

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/** The hashes of texts by name. */
export function hashTexts(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hashText(text)]));
}

/** What a pull does with the texts of a folder. */
export interface TextPlan {
  write: Record<string, string>;
  /** Texts that were there at the last push or pull, unchanged since, and that the server no longer has. */
  remove: string[];
  /** Texts with changes that would be lost. */
  unsaved: string[];
}

/**
 * Compares a folder with the texts on the server. `known` has the hashes at the last push or pull, and `isOwn` says
 * which of them are texts.
 */
export async function planTexts(
  folder: string,
  next: Record<string, string>,
  known: Record<string, string>,
  isOwn: (path: string) => boolean,
): Promise<TextPlan> {
  const plan: TextPlan = { write: {}, remove: [], unsaved: [] };
  for (const [path, text] of Object.entries(next)) {
    const present = await look(folder, path);
    if (present === text) continue;
    plan.write[path] = text;
    if (present !== undefined && (present === LINK || hashText(present) !== known[path]))
      plan.unsaved.push(path);
  }
  for (const [path, hash] of Object.entries(known)) {
    if (Object.hasOwn(next, path) || !isOwn(path)) continue;
    const present = await look(folder, path);
    if (typeof present === 'string' && hashText(present) === hash) plan.remove.push(path);
  }
  return plan;
}

/** Nobody reads a list of 2,000 names. */
const MAX_NAMED = 10;

/** The error if changes would be lost. */
export function wouldLose(unsaved: string[], folder: string): CommandError {
  const more = unsaved.length > MAX_NAMED ? ` and ${unsaved.length - MAX_NAMED} more` : '';
  return new CommandError(
    `Your changes to ${unsaved.slice(0, MAX_NAMED).join(', ')}${more} in ${folder} would be lost. Pull into another folder, or add --force to overwrite them.`,
    EXIT.conflict,
  );
}

export async function applyTexts(folder: string, { write, remove }: TextPlan): Promise<void> {
  for (const path of remove) await removeInside(folder, path);
  for (const [path, text] of Object.entries(write)) await writeInside(folder, path, text);
}

export async function writeInside(folder: string, path: string, text: string): Promise<void> {
  const parent = dirname(path);
  // A folder from someone else can have links in it.
  if (parent !== '.') await assertInside(folder, parent);
  await mkdir(join(folder, parent), { recursive: true }).catch((error: Error) => {
    throw new CommandError(`Cannot write ${join(folder, path)}: ${error.message}`);
  });
  await writeWhole(join(folder, path), text, encodingFor(path));
}

/** Removes a file, and the folders that are empty then. */
export async function removeInside(folder: string, path: string): Promise<void> {
  await unlink(join(folder, path)).catch(() => undefined);
  for (let at = dirname(path); at !== '.'; at = dirname(at)) {
    const isGone = await rmdir(join(folder, at)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** A path that leads through a link, whose target is not read. */
const LINK = Symbol('link');

/** The text at a path; undefined if there is none. */
async function look(folder: string, path: string): Promise<string | typeof LINK | undefined> {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return undefined;
  for (let count = 1; count <= parts.length; count++) {
    const found = await lstat(join(folder, ...parts.slice(0, count))).catch(() => undefined);
    if (!found) return undefined;
    if (found.isSymbolicLink()) return LINK;
    const isLast = count === parts.length;
    if (isLast ? !found.isFile() : !found.isDirectory())
      throw new CommandError(
        `${join(folder, ...parts.slice(0, count))} is in the way. Move it, or pull into another folder.`,
        EXIT.conflict,
      );
  }
  return readIfThere(join(folder, path), encodingFor(path));
}
