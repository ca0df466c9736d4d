import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What this machine knows of the newest segment of a database. */
const ChainState = z.object({
  ownerId: z.int(),
  file: z.string(),
  /** The name of the segment, and its checksum. */
  key: z.string(),
  sum: z.string(),
  chain: z.int(),
  index: z.int(),
  /** When the first segment of the chain was, and when this one was. */
  startedAt: z.number(),
  at: z.number(),
  /** The bytes of the first segment, and of those since. */
  baseBytes: z.number(),
  laterBytes: z.number(),
  pageBytes: z.int(),
  pageCount: z.int(),
  position: z
    .object({ salts: z.string(), frame: z.int(), checksum: z.tuple([z.number(), z.number()]) })
    .optional(),
  /** The files of the database before it was read. */
  stamp: z.string(),
  /** The name of the file with the hashes of all its pages. */
  hashes: z.string(),
});
export type ChainState = z.infer<typeof ChainState>;

const HASH_BYTES = 8;
/** What a file that is not finished begins with. */
const UNFINISHED = 'new-';
const STATE = '.json';

/**
 * A folder with what is needed to go on with chains after a restart: what was shipped last, and hashes of its pages.
 * Without it, databases are shipped as a whole again.
 */
export class ChainStates {
  #next = 0;

  constructor(private readonly folder: string) {}

  /** Reads what an earlier process has left, and removes what it has not finished. */
  open(): ChainState[] {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const names = readdirSync(this.folder);
    const states = names.flatMap((name) => (name.endsWith(STATE) ? (this.#read(name) ?? []) : []));
    const needed = new Set(states.flatMap((state) => [toName(state), state.hashes]));
    for (const name of names) if (!needed.has(name)) rmSync(join(this.folder, name), { force: true });
    return states;
  }

  /** A path for something unfinished. */
  scratch(): string {
    return join(this.folder, `${UNFINISHED}${process.pid}-${this.#next++}`);
  }

  /** The path of the hashes of all pages; undefined if they are not whole. */
  findHashes({ hashes, pageCount }: ChainState): string | undefined {
    const path = join(this.folder, hashes);
    return statSync(path, { throwIfNoEntry: false })?.size === HASH_BYTES * pageCount ? path : undefined;
  }

  /** Keeps a state and its hashes, in place of those of an earlier one. */
  save(state: Omit<ChainState, 'hashes'>, hashes: string, earlier: ChainState | undefined): ChainState {
    const saved = { ...state, hashes: `${state.ownerId}-${state.file}-${process.pid}-${this.#next++}` };
    renameSync(hashes, join(this.folder, saved.hashes));
    const path = this.scratch();
    writeFileSync(path, JSON.stringify(saved), { mode: 0o600 });
    renameSync(path, join(this.folder, toName(saved)));
    if (earlier && earlier.hashes !== saved.hashes)
      rmSync(join(this.folder, earlier.hashes), { force: true });
    return saved;
  }

  forget(state: ChainState): void {
    for (const name of [toName(state), state.hashes]) rmSync(join(this.folder, name), { force: true });
  }

  #read(name: string): ChainState | undefined {
    try {
      const state = ChainState.parse(JSON.parse(readFileSync(join(this.folder, name), 'utf8')));
      return toName(state) === name ? state : undefined;
    } catch {
      // It was not written to its end. The database is shipped as a whole.
      return undefined;
    }
  }
}

const toName = ({ ownerId, file }: Pick<ChainState, 'ownerId' | 'file'>) => `${ownerId}-${file}${STATE}`;
