import { databaseEndpoints } from '../../../../contract/functions/database-endpoints.ts';
import type { DatabaseList } from '../../../../contract/functions/saved-queries.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, identifySender, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import { createOwn } from '../model/access.ts';
import type { FunctionRow } from '../model/store.ts';
import { exportSql, importSql, readScript, requireDatabase, runSql } from './database.ts';
import { listMigrations } from './migrations.ts';
import { findDatabaseHolder, listDatabaseUsers, listOwnDatabases } from './store.ts';

/** A function's database, for its owner. */
export function databaseRoutes(context: DatabaseContext): Route[] {
  return [...queryRoutes(context), ...transferRoutes(context)];
}

interface DatabaseContext {
  db: Db;
  databases: Databases;
  moments: MomentKeeper;
}

/** Notes that the database of a page's function may change. It must not while the page is restored. */
function noteWrite({ moments }: DatabaseContext, row: FunctionRow): FunctionRow {
  if (row.page_id === null) return row;
  moments.assertNotRestoring(row.page_id);
  moments.noteChange(row.page_id);
  return row;
}

function queryRoutes(context: DatabaseContext): Route[] {
  const { db, databases } = context;
  const own = createOwn(db);
  return [
    handle(databaseEndpoints.listDatabases, async ({ actor }) => {
      const { userId } = actor;
      const found: DatabaseList['databases'] = [];
      for (const { id, functions, bytes, createdAt } of await listOwnDatabases(db, userId)) {
        const size = bytes + (await databases.readSize(userId, id));
        found.push({ id, functions, bytes: size, createdAt: toTimestamp(createdAt) });
      }
      return { databases: found };
    }),
    handle(databaseEndpoints.getDatabase, async ({ params, actor }) => {
      const { databaseId } = requireDatabase(await own(params.slug, actor));
      const [usedBy, holder] = await Promise.all([
        listDatabaseUsers(db, databaseId),
        findDatabaseHolder(db, databaseId),
      ]);
      return { usedBy, ...(holder && { belongsTo: holder.slug }) };
    }),
    handle(databaseEndpoints.queryDatabase, async ({ params, body, actor }) =>
      runSql(databases, noteWrite(context, await own(params.slug, actor)), body),
    ),
    handle(databaseEndpoints.listMigrations, async ({ params, actor }) =>
      listMigrations({ db, databases }, await own(params.slug, actor)),
    ),
  ];
}

function transferRoutes(context: DatabaseContext): Route[] {
  const { db, databases, moments } = context;
  const own = createOwn(db);
  return [
    handle(databaseEndpoints.exportDatabase, async ({ params, actor }) =>
      exportSql(databases, await own(params.slug, actor)),
    ),
    handle(databaseEndpoints.importDatabase, async ({ params, actor, request }) => {
      const row = noteWrite(context, await own(params.slug, actor));
      const script = await readScript(request, identifySender(actor, ''));
      const text = phrase('Kept before an import into the database of {slug}.', { slug: row.slug });
      if (row.page_id !== null)
        await moments.keepBefore(row.page_id, { kind: 'import', by: actor.userId, text });
      return importSql(databases, noteWrite(context, row), script);
    }),
  ];
}
