/// <reference path="../workerd.d.ts" />

/**
 * Whether a write that got no answer was run, in workerd. A host notes in memory which writes it has begun, and when it
 * is told to end it leaves those notes in each database; the next host finds them there. A write that is in no note was
 * never begun, and can be run. After a host that ended without leaving notes nobody knows.
 */

interface Notes {
  /** Writes that were begun, and when; there are none to be asked for from before `completeSince`. */
  begun: Map<string, number>;
  completeSince: number;
}

/** What a database says of its host: who wrote last, and what it left when it ended. */
interface Mark {
  host: string;
  left?: { begun: string[]; completeSince: number };
}

const KEY = 'quire:host';
/** Longer than anybody goes on asking. */
const KEEP_MS = 60_000;
/** How long a database that nobody uses is shown as being here, and how many are. */
const SHOW_MS = 10 * 60_000;
const MAX_SHOWN = 1_000;
/** Clocks of machines differ. */
const SKEW_MS = 5_000;

/** Names this process. */
let self: string | undefined;
/** By the names of databases, which come and go in this process. */
const notes = new Map<string, Notes>();
const usedAt = new Map<string, number>();

type Storage = DurableObjectState['storage'];

/** Workers may not draw random numbers before they are asked something. */
const host = () => (self ??= crypto.randomUUID());

/** A database's host, for as long as the database stays in memory. */
export class Handover {
  private loading: Promise<Notes> | undefined;
  private isMarked = false;

  constructor(
    private readonly storage: Storage,
    private readonly name: string,
  ) {}

  /** Takes over what hosts before left. */
  private load(): Promise<Notes> {
    this.loading ??= this.storage.get<Mark>(KEY).then((mark) => {
      const own = notes.get(this.name);
      if (mark?.host === host() && own && !mark.left) {
        this.isMarked = true;
        return own;
      }
      const found: Notes = {
        begun: own?.begun ?? new Map(),
        completeSince: mark?.left?.completeSince ?? (mark === undefined && this.isEmpty() ? 0 : Date.now()),
      };
      for (const id of mark?.left?.begun ?? []) found.begun.set(id, Date.now());
      notes.set(this.name, found);
      return found;
    });
    return this.loading;
  }

  /** Nothing has been run here, ever. */
  private isEmpty(): boolean {
    const tables = "select 1 from sqlite_master where name not like '\\_cf\\_%' escape '\\' limit 1";
    return [...this.storage.sql.exec(tables).raw()].length === 0;
  }

  /** Notes a write that is about to begin; false when it may have been begun before. */
  async begin(id: string, again: { sentAt: number } | undefined): Promise<boolean> {
    const { begun, completeSince } = await this.load();
    if (again && (begun.has(id) || again.sentAt < completeSince + SKEW_MS)) return false;
    forgetOld(begun);
    begun.set(id, Date.now());
    if (!this.isMarked) {
      this.isMarked = true;
      await this.storage.put(KEY, { host: host() } satisfies Mark);
    }
    return true;
  }

  /** Leaves the notes for the next host; nothing may begin after that. */
  async leave(): Promise<void> {
    const { begun, completeSince } = await this.load();
    forgetOld(begun);
    const left = { begun: [...begun.keys()], completeSince };
    await this.storage.put(KEY, { host: host(), left } satisfies Mark);
    await this.storage.sync();
  }
}

function forgetOld(begun: Map<string, number>): void {
  const oldest = Date.now() - KEEP_MS;
  for (const [id, at] of begun) {
    if (at > oldest) return;
    begun.delete(id);
  }
}

/** Notes that a database is in use here. */
export function noteUse(name: string): void {
  usedAt.delete(name);
  usedAt.set(name, Date.now());
  const oldest = Date.now() - SHOW_MS;
  for (const [old, at] of usedAt) {
    if (at > oldest) return;
    usedAt.delete(old);
  }
}

/** Databases that were used here lately, with when. */
export const lastUses = () => Object.fromEntries([...usedAt].slice(-MAX_SHOWN));

/** Notes that a database was removed. */
export function forgetUse(name: string): void {
  usedAt.delete(name);
  notes.delete(name);
}

/** Databases to which somebody may be sending something at this moment. */
export function inUse(): string[] {
  const oldest = Date.now() - KEEP_MS;
  return [...usedAt].filter(([, at]) => at > oldest).map(([name]) => name);
}

/** So that only the process that is about to end leaves notes. */
export const isSelf = (token: string | null) => token === host();
export const selfToken = host;
