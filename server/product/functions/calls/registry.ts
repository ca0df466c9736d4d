import { notFound } from '../../../lib/errors.ts';
import type { Sealer } from '../../../lib/secrets.ts';
import {
  type Broadcast,
  CheckedCache,
  type CheckedEntry,
  type EntryStore,
} from '../../../platform/coordination/events/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type Cells, type PoolEntry, REMOVED } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import { type Block, BlockedError, findBlock } from '../model/block.ts';
import { type FunctionHead, findFunctionHead } from '../model/store.ts';
import { findProgram } from '../model/version-store.ts';
import { readDatabaseNames } from '../model/worker-settings.ts';
import { secretContext } from '../secrets/secrets.ts';
import { listSecrets } from '../secrets/store.ts';

/** A function in memory, as calls need it. */
export interface LiveFunction extends CheckedEntry {
  ownerId: number | null;
  isPublic: boolean;
  databaseId: number | null;
  /** The page that the function belongs to, if it belongs to one and that still exists. */
  pageId: number | null;
  /** What its branch calls it; null if it belongs to none. */
  branchSlug: string | null;
  /** Why nobody can call the function; undefined if people can. */
  block: Block | undefined;
  entry: PoolEntry;
}

const MAX_KEPT = 10_000;
/** The close code for a function that nobody can connect to any more. */
const BLOCKED = { code: 1008, reason: 'The function is not available.' };
/** The close code after which the owner's clients connect again with their token. */
const NOW_PRIVATE = { code: 1008, reason: 'The function is now private.' };

interface RegistryOptions {
  db: Db;
  cells: Cells;
  databases: Databases;
  sealer: Sealer;
  logs: FunctionLogs;
  broadcast: Broadcast;
}

/** Functions that are called: read once, kept until they change. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #cache: CheckedCache<LiveFunction>;
  readonly #listeners = new Set<(id: number) => void>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { db, broadcast } = options;
    this.#cache = new CheckedCache<LiveFunction>({
      broadcast,
      createStore: (onRemove) => new BoundedStore(onRemove),
      read: (key, onId) => this.#read(key, onId),
      readStamp: async (id) => makeStamp(await findFunctionHead(db, { id })),
      onGone: (id) => this.#stop(id),
    });
    broadcast.subscribe('function', (id) => this.#changed(Number(id)));
    broadcast.subscribe('function gone', (id) => this.#stop(Number(id)));
    broadcast.subscribe('function blocked', (id) => this.#block(Number(id)));
    broadcast.onGap(() => this.#checkRunning());
  }

  /** Calls back when a function has changed, or may have. */
  onChange(listener: (id: number) => void): void {
    this.#listeners.add(listener);
  }

  bySlug(slug: string): LiveFunction | Promise<LiveFunction | undefined> {
    return this.#cache.bySlug(slug) ?? this.#cache.load(slug);
  }

  byId(id: number): LiveFunction | Promise<LiveFunction | undefined> {
    return this.#cache.byId(id) ?? this.#cache.load(id);
  }

  /** The page of the branch that a function belongs to, or 0 if it has left it; undefined for all others. */
  async findBranchPage(id: number): Promise<number | undefined> {
    const found = await this.byId(id);
    return found && found.branchSlug !== null ? (found.pageId ?? 0) : undefined;
  }

  /** Drops a function that has changed from memory, on all nodes. */
  drop(id: number): void {
    this.#changed(id);
    this.#options.broadcast.publish('function', id);
  }

  /** Drops a deleted function from memory, and stops it, on all nodes. */
  remove(id: number): void {
    this.#stop(id);
    this.#options.broadcast.publish('function gone', id);
  }

  /** Stops a function that nobody can call any longer, with its calls and WebSockets, on all nodes. */
  block(id: number): void {
    this.#block(id);
    this.#options.broadcast.publish('function blocked', id);
  }

  /** Makes the pool entry of a function. */
  toEntry(row: FunctionHead): PoolEntry {
    const { id, owner_id: owner } = row;
    return {
      id,
      owner,
      revision: `${row.version}.${row.secrets_revision}.${row.generation ?? 0}`,
      // Code is read when a cell starts, and not kept: the code and secrets of ten thousand functions would fill the
      // memory.
      program: () => this.#readProgram(row),
      onLine: (line) => this.#options.logs.line(id, line, row.version),
    };
  }

  async #readProgram(row: FunctionHead) {
    const { db, databases, sealer } = this.#options;
    const { id, owner_id, database_id, generation } = row;
    const found = await findProgram(db, id);
    if (!found) throw notFound('This function was not found.');
    // A call can wait for a cell, or be sent again, while the function is blocked. Its owner may still load it.
    const block = findBlock(found);
    if (block && !findBlock(row)) throw new BlockedError(block);
    const sealed = await listSecrets(db, id);
    const secrets = Object.fromEntries(
      sealed.map(({ name, sealed_value }) => [name, sealer.open(sealed_value, secretContext(id, name))]),
    );
    const database =
      database_id === null || owner_id === null
        ? undefined
        : await databases.open(owner_id, database_id, generation ?? 0);
    const databaseNames = found.files === null ? [] : readDatabaseNames(JSON.parse(found.files));
    return { code: found.code, secrets, database, databaseNames };
  }

  async #read(key: string | number, onId: (id: number) => void) {
    const row = await findFunctionHead(
      this.#options.db,
      typeof key === 'number' ? { id: key } : { slug: key },
    );
    if (!row) return undefined;
    onId(row.id);
    return {
      id: row.id,
      slug: row.slug,
      ownerId: row.owner_id,
      isPublic: row.is_public === 1,
      databaseId: row.database_id,
      pageId: row.page_id,
      branchSlug: row.branch_slug,
      block: findBlock(row),
      entry: this.toEntry(row),
      stamp: makeStamp(row),
    };
  }

  #dropCached(id: number): void {
    this.#cache.drop(id);
    for (const listener of this.#listeners) listener(id);
  }

  #stop(id: number): void {
    this.#dropCached(id);
    this.#options.cells.pool.drop(id, REMOVED);
  }

  #block(id: number): void {
    this.#dropCached(id);
    this.#options.cells.pool.end(id, BLOCKED);
  }

  /** Calls read what has changed. WebSockets of an old version, or of a function that is now private, end. */
  #changed(id: number): void {
    this.#dropCached(id);
    if (this.#options.cells.pool.countOpenSockets(id).total > 0) this.#check(id);
  }

  #check(id: number): void {
    const { db, cells } = this.#options;
    findFunctionHead(db, { id }).then(
      (head) => {
        if (!head) this.#stop(id);
        else if (findBlock(head)) this.#block(id);
        else if (cells.pool.countOpenSockets(id).total === 0) return;
        else if (head.is_public !== 1) cells.pool.closeSockets(id, NOW_PRIVATE);
        else cells.pool.dropOthers(this.toEntry(head));
      },
      // The function is checked again at the next call.
      () => undefined,
    );
  }

  /** Stops functions that another node changed while its messages did not arrive. Unused ones would run until idle. */
  #checkRunning(): void {
    for (const { id } of this.#options.cells.pool.usage()) this.#check(id);
  }
}

/** Clears everything when it is full: an entry is small and quickly read. */
class BoundedStore implements EntryStore<LiveFunction> {
  readonly #entries = new Map<number, LiveFunction>();

  constructor(private readonly onRemove: (entry: LiveFunction) => void) {}

  get(id: number): LiveFunction | undefined {
    return this.#entries.get(id);
  }

  add(entry: LiveFunction): void {
    if (this.#entries.size >= MAX_KEPT) for (const id of [...this.#entries.keys()]) this.remove(id);
    this.remove(entry.id);
    this.#entries.set(entry.id, entry);
  }

  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.onRemove(entry);
  }
}

function makeStamp(head: FunctionHead): string;
function makeStamp(head: FunctionHead | undefined): string | undefined;
function makeStamp(head: FunctionHead | undefined): string | undefined {
  if (!head) return undefined;
  const { slug, owner_id, is_public, database_id, version, secrets_revision, page_id, branch_slug } = head;
  const isBlocked = findBlock(head) !== undefined;
  return JSON.stringify([
    ...[slug, owner_id, is_public, database_id, version, secrets_revision, page_id],
    ...[isBlocked, branch_slug, head.generation],
  ]);
}
