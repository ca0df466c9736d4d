/**
 * Says whether a write that got no response has run. A host remembers which writes it has begun. When it shuts down, it
 * leaves these notes in each database, where the next host finds them. A write that is in no note was never begun, and
 * can run. If a host ended without leaving notes, the outcome is unknown.
 */

interface Notes {
  /** Writes that were begun, and when. The notes are complete for writes sent after `completeSince`, by our clock. */
  begun: Map<string, number>;
  completeSince: number;
}

/** Stored in a database: which host wrote last, and the notes that it left when it shut down. */
interface Mark {
  host: string;
  left?: { begun: string[]; completeForMs: number };
}

/** What is needed of the storage of a database. */
export interface NoteStorage {
  get<Value>(key: string): Promise<Value | undefined>;
  put(key: string, value: unknown): Promise<void>;
  sync(): Promise<void>;
  sql: { exec(text: string): { raw(): Iterable<unknown> } };
}

const KEY = 'quire:host';
/** How long notes are kept. Longer than any sender keeps trying. */
const KEEP_MS = 60_000;
/** How long an unused database is listed as being here, and how many are listed. */
const SHOW_MS = 10 * 60_000;
const MAX_SHOWN = 1_000;
/** The longest that a request is on its way. Times are compared as ages, because the clocks of machines differ. */
const ON_THE_WAY_MS = 5_000;

/** Identifies this process. */
let self: string | undefined;
/** Notes by the name of the database. Databases come and go in this process. */
const notes = new Map<string, Notes>();
const usedAt = new Map<string, number>();

/** Created on first use: workers cannot generate random values outside a request. */
const host = () => (self ??= crypto.randomUUID());

/** The handover of one database, for as long as it stays in memory. */
export class Handover {
  private loading: Promise<Notes> | undefined;
  private isMarked = false;

  constructor(
    private readonly storage: NoteStorage,
    private readonly name: string,
  ) {}

  /** Reads the notes of the host before. */
  private load(): Promise<Notes> {
    this.loading ??= this.storage.get<Mark>(KEY).then((mark) => {
      const own = notes.get(this.name);
      if (mark?.host === host() && own && !mark.left) {
        this.isMarked = true;
        return own;
      }
      const found: Notes = {
        begun: own?.begun ?? new Map(),
        completeSince: Date.now() - (mark?.left?.completeForMs ?? 0),
      };
      if (mark === undefined && isEmpty(this.storage)) found.completeSince = 0;
      for (const id of mark?.left?.begun ?? []) found.begun.set(id, Date.now());
      notes.set(this.name, found);
      return found;
    });
    return this.loading;
  }

  /** Records a write that is about to begin; false if it may have begun before. */
  async begin(id: string, again: { sentMsAgo: number } | undefined): Promise<boolean> {
    const { begun, completeSince } = await this.load();
    const sentAt = Date.now() - (again?.sentMsAgo ?? 0);
    if (again && (begun.has(id) || sentAt < completeSince + ON_THE_WAY_MS)) return false;
    forgetOld(begun);
    begun.set(id, Date.now());
    if (!this.isMarked) {
      this.isMarked = true;
      await this.storage.put(KEY, { host: host() } satisfies Mark);
    }
    return true;
  }

  /** Leaves the notes for the next host. Nothing may begin after this. */
  async leave(): Promise<void> {
    const { begun, completeSince } = await this.load();
    forgetOld(begun);
    const left = { begun: [...begun.keys()], completeForMs: Date.now() - completeSince };
    await this.storage.put(KEY, { host: host(), left } satisfies Mark);
    await this.storage.sync();
  }
}

/** True if nothing has ever run in a database. */
export function isEmpty({ sql }: Pick<NoteStorage, 'sql'>): boolean {
  const tables = "select 1 from sqlite_master where name not like '\\_cf\\_%' escape '\\' limit 1";
  return [...sql.exec(tables).raw()].length === 0;
}

function forgetOld(begun: Map<string, number>): void {
  const oldest = Date.now() - KEEP_MS;
  for (const [id, at] of begun) {
    if (at > oldest) return;
    begun.delete(id);
  }
}

/** Records that a database is in use here. */
export function noteUse(name: string): void {
  usedAt.delete(name);
  usedAt.set(name, Date.now());
  const oldest = Date.now() - SHOW_MS;
  for (const [old, at] of usedAt) {
    if (at > oldest) return;
    usedAt.delete(old);
  }
}

/** The databases that were used here recently, and when. */
export const lastUses = () => Object.fromEntries([...usedAt].slice(-MAX_SHOWN));

/** Forgets a database that was removed. */
export function forgetUse(name: string): void {
  usedAt.delete(name);
  notes.delete(name);
}

/** Databases that a request may be on its way to. */
export function inUse(): string[] {
  const oldest = Date.now() - KEEP_MS;
  return [...usedAt].filter(([, at]) => at > oldest).map(([name]) => name);
}

/** Only the process that is shutting down may have notes written. */
export const isSelf = (token: string | null) => token === host();
export const selfToken = host;
