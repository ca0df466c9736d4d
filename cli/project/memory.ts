import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { readIfThere } from './files/inside.ts';

const FILE = '.quire.json';

/** The page that a document belongs to on a server, and the version and files at the last push or pull. */
const Remembered = z.object({
  server: z.string(),
  file: z.string(),
  page_id: z.int(),
  version: z.int(),
  /** The page was created but not published, because something failed. */
  unfinished: z.literal(true).optional(),
  files: z.record(z.string(), z.string()).default({}),
  seal: z.string().default(''),
});
type Remembered = z.infer<typeof Remembered>;
/** A function that was deployed from the folder or pulled into it, and the version at that time. */
const Deployed = z.object({
  server: z.string(),
  slug: z.string(),
  version: z.int().default(0),
  seal: z.string().default(''),
});
const Memory = z.object({ pages: z.array(Remembered), functions: z.array(Deployed).default([]) });
type Memory = z.infer<typeof Memory>;

/** The history of a folder in .quire.json. */
export interface FolderMemory {
  /** The last push to or pull from this server; `isOurs` is false if another user wrote the entry. */
  page(file: string): Promise<(Remembered & { isOurs: boolean }) | undefined>;
  /** Records that the folder and the server have these files, by the hashes of their contents. */
  keepPage(
    entry: Omit<Remembered, 'files' | 'seal' | 'server'>,
    files: Record<string, string>,
  ): Promise<void>;
  /** The version of a function at the last push or pull; undefined if there was none. */
  functionVersion(slug: string): Promise<number | undefined>;
  keepFunction(slug: string, version: number): Promise<void>;
}

/** Opens the history of a folder for one server. Entries are signed, because a folder can come from anyone. */
export function openMemory(folder: string, server: string, key: Uint8Array): FolderMemory {
  const path = join(folder, FILE);
  const write = (memory: Memory) => writeWhole(path, `${JSON.stringify(memory, null, 2)}\n`);
  const seal = (...said: unknown[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([server, ...said]))
      .digest('hex');
  const sealPage = ({ file, page_id, version, unfinished }: Omit<Remembered, 'files' | 'seal' | 'server'>) =>
    seal('page', file, page_id, version, unfinished === true);
  return {
    async page(file) {
      const { pages } = await readMemory(path);
      const known = pages.find((each) => each.server === server && each.file === file);
      return known && { ...known, isOurs: known.seal === sealPage(known) };
    },
    async keepPage(entry, files) {
      const memory = await readMemory(path);
      const others = memory.pages.filter((each) => each.server !== server || each.file !== entry.file);
      await write({ ...memory, pages: [...others, { server, ...entry, files, seal: sealPage(entry) }] });
    },
    async functionVersion(slug) {
      const { functions } = await readMemory(path);
      const known = functions.find((each) => each.server === server && each.slug === slug);
      return known && known.seal === seal('function', slug, known.version) ? known.version : undefined;
    },
    async keepFunction(slug, version) {
      const memory = await readMemory(path);
      const others = memory.functions.filter((each) => each.server !== server || each.slug !== slug);
      const entry = { server, slug, version, seal: seal('function', slug, version) };
      await write({ ...memory, functions: [...others, entry] });
    },
  };
}

/** The files that a pull would overwrite and lose: changed since the last pull, or unknown. */
export async function findUnsaved(
  folder: string,
  known: Record<string, string>,
  next: Record<string, string>,
): Promise<string[]> {
  const unsaved: string[] = [];
  for (const [name, text] of Object.entries(next)) {
    const present = await readIfThere(join(folder, name));
    if (present === undefined || present === text) continue;
    if (hashText(present) !== known[name]) unsaved.push(name);
  }
  return unsaved;
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/** The hashes of texts by name. */
export function hashTexts(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hashText(text)]));
}

async function readMemory(path: string): Promise<Memory> {
  const text = await readIfThere(path);
  if (text === undefined) return { pages: [], functions: [] };
  try {
    return Memory.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`${path} is damaged. Delete it, and push again.`);
  }
}
