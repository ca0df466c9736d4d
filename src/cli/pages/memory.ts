import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../usage.ts';
import { readIfThere, writeWhole } from './folder.ts';

const FILE = '.quire.json';

/** Which page a document is on a server, at which version it was the same there, and what the files were then. */
const Remembered = z.object({
  server: z.string(),
  file: z.string(),
  page_id: z.int(),
  version: z.int(),
  /** It was made, but not yet shown: something failed in between. */
  unfinished: z.literal(true).optional(),
  files: z.record(z.string(), z.string()).default({}),
});
type Remembered = z.infer<typeof Remembered>;
const Memory = z.object({ pages: z.array(Remembered) });

const isSame = (a: { server: string; file: string }, b: { server: string; file: string }) =>
  a.server === b.server && a.file === b.file;

/** What was last pushed to, or pulled from, this server. */
export async function recall(folder: string, server: string, file: string): Promise<Remembered | undefined> {
  return (await readMemory(folder)).find((each) => isSame(each, { server, file }));
}

/** Notes that the folder and the server are the same now. */
export async function remember(
  folder: string,
  entry: Omit<Remembered, 'files'>,
  names: string[],
): Promise<void> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = await readIfThere(join(folder, name));
    if (text !== undefined) files[name] = hash(text);
  }
  const others = (await readMemory(folder)).filter((each) => !isSame(each, entry));
  const path = join(folder, FILE);
  await writeWhole(path, `${JSON.stringify({ pages: [...others, { ...entry, files }] }, null, 2)}\n`);
}

/** The files that would be lost if others were written in their place: changed since, or never seen. */
export async function findUnsaved(
  folder: string,
  known: Remembered | undefined,
  next: Record<string, string>,
): Promise<string[]> {
  const unsaved: string[] = [];
  for (const [name, text] of Object.entries(next)) {
    const present = await readIfThere(join(folder, name));
    if (present === undefined || present === text) continue;
    if (hash(present) !== known?.files[name]) unsaved.push(name);
  }
  return unsaved;
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

async function readMemory(folder: string): Promise<Remembered[]> {
  const path = join(folder, FILE);
  const text = await readIfThere(path);
  if (text === undefined) return [];
  try {
    return Memory.parse(JSON.parse(text)).pages;
  } catch {
    throw new CommandError(`${path} is not what quire writes. Remove it; the next push asks what to do.`);
  }
}
