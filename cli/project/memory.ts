import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { readInside } from './files/inside.ts';

const FILE = '.quire.json';

/** What a folder had at the last push or pull, and the proof that the server gave for it. */
const Entry = z.object({
  server: z.string(),
  version: z.int().default(0),
  /** Anyone can write `.quire.json`, but only people who can change the page or function know its seal. */
  seal: z.string().default(''),
  /** The hashes of the files, by their path in the folder. */
  files: z.record(z.string(), z.string()).default({}),
});
/** The page that a document belongs to on a server. */
const KnownPage = Entry.extend({
  file: z.string(),
  page_id: z.int(),
  /** The page was created but not published: something failed, or `quire dev` works on a draft of it. */
  unfinished: z.literal(true).optional(),
});
export type KnownPage = z.infer<typeof KnownPage>;
/** A function that was deployed from the folder or pulled into it. */
const KnownFunction = Entry.extend({ slug: z.string() });
type KnownFunction = z.infer<typeof KnownFunction>;

const Memory = z.object({ pages: z.array(KnownPage), functions: z.array(KnownFunction).default([]) });
type Memory = z.infer<typeof Memory>;

/** The history of a folder in `.quire.json`. It is trusted only if the seal of an entry is the one of the server. */
export interface FolderMemory {
  /** The last push to or pull from this server. */
  page(file: string): Promise<KnownPage | undefined>;
  keepPage(entry: Omit<KnownPage, 'server'>): Promise<void>;
  fn(slug: string): Promise<KnownFunction | undefined>;
  keepFunction(entry: Omit<KnownFunction, 'server'>): Promise<void>;
}

/** Opens the history of a folder for one server. */
export function openMemory(folder: string, server: string): FolderMemory {
  const read = () => readMemory(folder);
  const write = (memory: Memory) => writeWhole(join(folder, FILE), `${JSON.stringify(memory, null, 2)}\n`);
  return {
    async page(file) {
      return (await read()).pages.find((each) => each.server === server && each.file === file);
    },
    async keepPage(entry) {
      const { pages, functions } = await read();
      const others = pages.filter((each) => each.server !== server || each.file !== entry.file);
      await write({ pages: [...others, { server, ...entry }], functions });
    },
    async fn(slug) {
      return (await read()).functions.find((each) => each.server === server && each.slug === slug);
    },
    async keepFunction(entry) {
      const { pages, functions } = await read();
      const others = functions.filter((each) => each.server !== server || each.slug !== entry.slug);
      await write({ pages, functions: [...others, { server, ...entry }] });
    },
  };
}

async function readMemory(folder: string): Promise<Memory> {
  const text = await readInside(folder, FILE);
  if (text === undefined) return { pages: [], functions: [] };
  try {
    return Memory.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      `${join(folder, FILE)} is damaged. Delete it, and pull into this folder again or push with --force.`,
    );
  }
}
