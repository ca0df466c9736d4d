import { databaseEndpoints } from '../../../../contract/functions/database-endpoints.ts';
import type { DatabaseList } from '../../../../contract/functions/saved-queries.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, identifySender, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import { createOwn } from '../model/access.ts';
import { exportSql, importSql, readScript, requireDatabase, runSql } from './database.ts';
import { listMigrations } from './migrations.ts';
import { listDatabaseUsers, listOwnDatabases } from './store.ts';

/** A function's database, for its owner. */
export function databaseRoutes(context: DatabaseContext): Route[] {
  return [...queryRoutes(context), ...transferRoutes(context)];
}

interface DatabaseContext {
  db: Db;
  databases: Databases;
}

function queryRoutes({ db, databases }: DatabaseContext): Route[] {
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
      return { usedBy: await listDatabaseUsers(db, databaseId) };
    }),
    handle(databaseEndpoints.queryDatabase, async ({ params, body, actor }) =>
      runSql(databases, await own(params.slug, actor), body),
    ),
    handle(databaseEndpoints.listMigrations, async ({ params, actor }) =>
      listMigrations({ db, databases }, await own(params.slug, actor)),
    ),
  ];
}

function transferRoutes({ db, databases }: DatabaseContext): Route[] {
  const own = createOwn(db);
  return [
    handle(databaseEndpoints.exportDatabase, async ({ params, actor }) =>
      exportSql(databases, await own(params.slug, actor)),
    ),
    handle(databaseEndpoints.importDatabase, async ({ params, actor, request }) => {
      const row = await own(params.slug, actor);
      return importSql(databases, row, await readScript(request, identifySender(actor, '')));
    }),
  ];
}
