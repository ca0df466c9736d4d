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
import { listConcernedPages } from './concerned-pages.ts';
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

/** Notes that the database of a function may change. It must not while a page that uses it is restored. */
async function noteWrite({ db, moments }: DatabaseContext, row: FunctionRow): Promise<FunctionRow> {
  const pages = await listConcernedPages(db, row);
  for (const id of pages) moments.assertNotRestoring(id);
  for (const id of pages) moments.noteChange(id);
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
      runSql(databases, await noteWrite(context, await own(params.slug, actor)), body),
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
      const row = await noteWrite(context, await own(params.slug, actor));
      const script = await readScript(request, identifySender(actor, ''));
      const text = phrase('Kept before an import into the database of {slug}.', { slug: row.slug });
      for (const id of await listConcernedPages(db, row))
        await moments.keepBefore(id, { kind: 'import', by: actor.userId, text });
      return importSql(databases, await noteWrite(context, row), script);
    }),
  ];
}
