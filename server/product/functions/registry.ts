import { notFound } from '../../lib/errors.ts';
import type { Cells, PoolEntry } from '../../platform/cells/index.ts';
import { type Broadcast, type Checked, createChecks } from '../../platform/coordination/events/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { FunctionLogs } from './logs/logs.ts';
import type { Sealer } from './secrets/secrets.ts';
import { listSecrets } from './secrets/store.ts';
import { type FunctionHead, findCode, findFunctionHead } from './store.ts';

/** A function in memory, as calls need it. */
export interface LiveFunction extends Checked {
  id: number;
  slug: string;
  ownerId: number | null;
  isPublic: boolean;
  hasDatabase: boolean;
  entry: PoolEntry;
  /** Differs when anything does that calls depend on. */
  stamp: string;
}

/** Functions that are being called: read once, kept until they change. */
export interface Registry {
  bySlug(slug: string): LiveFunction | Promise<LiveFunction | undefined>;
  byId(id: number): LiveFunction | Promise<LiveFunction | undefined>;
  /** Makes the entry that the pool runs a function by. */
  toEntry(row: FunctionHead): PoolEntry;
  /** Forgets what is known of a function that has changed, on all nodes. */
  drop(id: number): void;
  /** Forgets a function that is gone, and stops it, on all nodes. */
  remove(id: number): void;
}

const MAX_KEPT = 10_000;

export function createRegistry(options: {
  db: Db;
  cells: Cells;
  sealer: Sealer;
  logs: FunctionLogs;
  broadcast: Broadcast;
}): Registry {
  const { db, cells, sealer, logs, broadcast } = options;
  const checks = createChecks(broadcast);
  const slugs = new Map<string, LiveFunction>();
  const ids = new Map<number, LiveFunction>();
  /** Counts drops: what was read before one may be old, and is then used once but not kept. */
  let drops = 0;

  function toEntry(row: FunctionHead): PoolEntry {
    const { id, owner_id: ownerId, database_id: databaseId } = row;
    return {
      id,
      owner: ownerId,
      revision: `${row.version}.${row.secrets_revision}`,
      // Read when a cell starts, and not kept: code and secrets of ten thousand functions would fill the memory.
      async program() {
        const code = await findCode(db, id);
        if (code === undefined) throw notFound('This function');
        const sealed = await listSecrets(db, id);
        const secrets = Object.fromEntries(
          sealed.map(({ name, sealed_value }) => [name, sealer.open(sealed_value, secretContext(id, name))]),
        );
        const database =
          databaseId === null || ownerId === null
            ? undefined
            : await cells.databases.open(ownerId, databaseId);
        return { code, secrets, database };
      },
      onLine: (line) => logs.line(id, line),
    };
  }

  async function load(read: () => Promise<FunctionHead | undefined>): Promise<LiveFunction | undefined> {
    const dropsBefore = drops;
    const checkedAt = performance.now();
    const row = await read();
    if (!row) return undefined;
    const live = {
      id: row.id,
      slug: row.slug,
      ownerId: row.owner_id,
      isPublic: row.is_public === 1,
      hasDatabase: row.database_id !== null,
      entry: toEntry(row),
      stamp: stampOf(row),
      checkedAt,
    };
    if (drops === dropsBefore) {
      if (ids.size >= MAX_KEPT) {
        ids.clear();
        slugs.clear();
      }
      slugs.set(live.slug, live);
      ids.set(live.id, live);
    }
    return live;
  }

  function forget(id: number): void {
    drops++;
    const live = ids.get(id);
    ids.delete(id);
    if (live) slugs.delete(live.slug);
  }

  function stop(id: number): void {
    forget(id);
    cells.pool.drop(id);
  }

  /** Looks whether a function is as it was; other nodes may have changed it unheard. */
  async function compare(live: LiveFunction): Promise<boolean> {
    let isGone = false;
    const isSame = await checks.compare(live, async () => {
      const head = await findFunctionHead(db, live);
      isGone = head === undefined;
      return head !== undefined && stampOf(head) === live.stamp;
    });
    if (isGone) stop(live.id);
    else if (!isSame && ids.get(live.id) === live) forget(live.id);
    return isSame;
  }

  function use(
    live: LiveFunction | undefined,
    read: () => Promise<FunctionHead | undefined>,
  ): LiveFunction | Promise<LiveFunction | undefined> {
    if (!live) return load(read);
    const state = checks.stateOf(live);
    if (state === 'unsure') return compare(live).then((isSame) => (isSame ? live : load(read)));
    if (state === 'old') void compare(live);
    return live;
  }

  broadcast.subscribe('function', (id) => forget(Number(id)));
  broadcast.subscribe('function gone', (id) => stop(Number(id)));
  // Those that nobody calls any more would else run on until they are found idle.
  broadcast.onGap(() => {
    for (const { id } of cells.pool.usage()) {
      findFunctionHead(db, { id }).then(
        (head) => head ?? stop(id),
        () => undefined,
      );
    }
  });

  return {
    bySlug: (slug) => use(slugs.get(slug), () => findFunctionHead(db, { slug })),
    byId: (id) => use(ids.get(id), () => findFunctionHead(db, { id })),
    toEntry,
    drop(id) {
      forget(id);
      broadcast.publish('function', id);
    },
    remove(id) {
      stop(id);
      broadcast.publish('function gone', id);
    },
  };
}

function stampOf(head: FunctionHead): string {
  const { slug, owner_id, is_public, database_id, version, secrets_revision } = head;
  return JSON.stringify([slug, owner_id, is_public, database_id, version, secrets_revision]);
}

/** Whose secret a sealed value is. */
export function secretContext(functionId: number, name: string): string {
  return `function ${functionId} ${name}`;
}
