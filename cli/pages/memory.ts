import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { readIfThere } from './folder.ts';

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
  seal: z.string().default(''),
});
type Remembered = z.infer<typeof Remembered>;
/** A function that was deployed from the folder, or pulled into it. */
const Deployed = z.object({ server: z.string(), slug: z.string(), seal: z.string().default('') });
const Memory = z.object({ pages: z.array(Remembered), functions: z.array(Deployed).default([]) });
type Memory = z.infer<typeof Memory>;

/** What was done with the folder before, as far as quire noted it for this very user. */
export interface FolderMemory {
  /** What was last pushed to, or pulled from, this server; `isOurs` is false when somebody else noted it. */
  page(file: string): Promise<(Remembered & { isOurs: boolean }) | undefined>;
  /** Notes that the folder and the server are the same now. */
  keepPage(entry: Omit<Remembered, 'files' | 'seal' | 'server'>, names: string[]): Promise<void>;
  hasFunction(slug: string): Promise<boolean>;
  keepFunction(slug: string): Promise<void>;
}

/** Opens the memory of a folder for one server. A folder may come from anybody, so what it says of itself is sealed. */
export function openMemory(folder: string, server: string, key: Uint8Array): FolderMemory {
  const path = join(folder, FILE);
  const write = (memory: Memory) => writeWhole(path, `${JSON.stringify(memory, null, 2)}\n`);
  const seal = (...said: unknown[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([server, ...said]))
      .digest('hex');
  const sealOf = ({ file, page_id, version, unfinished }: Omit<Remembered, 'files' | 'seal' | 'server'>) =>
    seal('page', file, page_id, version, unfinished === true);
  return {
    async page(file) {
      const { pages } = await readMemory(path);
      const known = pages.find((each) => each.server === server && each.file === file);
      return known && { ...known, isOurs: known.seal === sealOf(known) };
    },
    async keepPage(entry, names) {
      const files: Record<string, string> = {};
      for (const name of names) {
        const text = await readIfThere(join(folder, name));
        if (text !== undefined) files[name] = hash(text);
      }
      const memory = await readMemory(path);
      const others = memory.pages.filter((each) => each.server !== server || each.file !== entry.file);
      await write({ ...memory, pages: [...others, { server, ...entry, files, seal: sealOf(entry) }] });
    },
    async hasFunction(slug) {
      const { functions } = await readMemory(path);
      return functions.some(
        (each) => each.server === server && each.slug === slug && each.seal === seal('function', slug),
      );
    },
    async keepFunction(slug) {
      const memory = await readMemory(path);
      const others = memory.functions.filter((each) => each.server !== server || each.slug !== slug);
      await write({ ...memory, functions: [...others, { server, slug, seal: seal('function', slug) }] });
    },
  };
}

/** The files that would be lost if others were written in their place: changed since, or never seen. */
export async function findUnsaved(
  folder: string,
  known: Pick<Remembered, 'files'> | undefined,
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

async function readMemory(path: string): Promise<Memory> {
  const text = await readIfThere(path);
  if (text === undefined) return { pages: [], functions: [] };
  try {
    return Memory.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`${path} is not what quire writes. Remove it; the next push asks what to do.`);
  }
}
