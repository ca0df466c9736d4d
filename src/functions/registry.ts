import type { Cells, PoolEntry } from '../cells/index.ts';
import type { Db } from '../storage/index.ts';
import type { FunctionLogs } from './logs.ts';
import type { Sealer } from './secrets.ts';
import { type FunctionRow, findFunction, findFunctionById, listSecrets } from './store.ts';

/** A function in memory, as calls need it. */
export interface LiveFunction {
  id: number;
  slug: string;
  ownerId: number | null;
  isPublic: boolean;
  hasDatabase: boolean;
  entry: PoolEntry;
}

/** Functions that are being called: read once, kept until they change. */
export interface Registry {
  bySlug(slug: string): LiveFunction | Promise<LiveFunction | undefined>;
  byId(id: number): LiveFunction | Promise<LiveFunction | undefined>;
  /** Makes the entry that the pool runs a function by. */
  toEntry(row: FunctionRow): PoolEntry;
  drop(id: number): void;
}

const MAX_KEPT = 10_000;

export function createRegistry(options: {
  db: Db;
  cells: Cells;
  sealer: Sealer;
  logs: FunctionLogs;
}): Registry {
  const { db, cells, sealer, logs } = options;
  const slugs = new Map<string, LiveFunction>();
  const ids = new Map<number, LiveFunction>();
  /** Counts drops: what was read before one may be old, and is then used once but not kept. */
  let drops = 0;

  function toEntry(row: FunctionRow): PoolEntry {
    const { id, owner_id: ownerId, database_id: databaseId, code } = row;
    return {
      id,
      revision: `${row.version}.${row.secrets_revision}`,
      async program() {
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

  async function load(read: Promise<FunctionRow | undefined>): Promise<LiveFunction | undefined> {
    const dropsBefore = drops;
    const row = await read;
    if (!row) return undefined;
    const live = {
      id: row.id,
      slug: row.slug,
      ownerId: row.owner_id,
      isPublic: row.is_public === 1,
      hasDatabase: row.database_id !== null,
      entry: toEntry(row),
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

  return {
    bySlug: (slug) => slugs.get(slug) ?? load(findFunction(db, slug)),
    byId: (id) => ids.get(id) ?? load(findFunctionById(db, id)),
    toEntry,
    drop(id) {
      drops++;
      const live = ids.get(id);
      ids.delete(id);
      if (live) slugs.delete(live.slug);
    },
  };
}

/** Whose secret a sealed value is. */
export function secretContext(functionId: number, name: string): string {
  return `function ${functionId} ${name}`;
}
