import {
  DatabaseInfo,
  Imported,
  QueryResult,
  SQL_BODY_LIMIT,
  SqlQuery,
  slugParams,
} from '../../../../contract/functions/functions.ts';
import { DatabaseList } from '../../../../contract/functions/saved-queries.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Cells } from '../../../platform/cells/index.ts';
import { type Route, route, senderOf, signedIn } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { createOwn, READ, WRITE } from '../access.ts';
import { exportSql, importSql, readScript, requireDatabase, runSql } from './database.ts';
import { listDatabaseUsers, listOwnDatabases } from './store.ts';

/** A function's database, for its owner. */
export function databaseRoutes(context: DatabaseContext): Route[] {
  return [...queryRoutes(context), ...transferRoutes(context)];
}

interface DatabaseContext {
  db: Db;
  cells: Cells;
}

function queryRoutes({ db, cells }: DatabaseContext): Route[] {
  const own = createOwn(db);
  return [
    route({
      method: 'GET',
      path: '/api/databases',
      operationId: 'listDatabases',
      access: READ,
      summary: 'List your databases, each with its size and the functions that use it',
      response: DatabaseList,
      async handle({ actor }) {
        const { userId } = signedIn(actor);
        const databases: DatabaseList['databases'] = [];
        for (const { id, functions, bytes, createdAt } of await listOwnDatabases(db, userId)) {
          const size = bytes + (await cells.databases.sizeOf(userId, id));
          databases.push({ id, functions, bytes: size, createdAt: toTimestamp(createdAt) });
        }
        return { databases };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/database',
      operationId: 'getDatabase',
      access: READ,
      summary: "The functions that use this function's database, including itself",
      params: slugParams,
      response: DatabaseInfo,
      async handle({ params, actor }) {
        const { databaseId } = requireDatabase(await own(params.slug, actor));
        return { usedBy: await listDatabaseUsers(db, databaseId) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug/database',
      operationId: 'queryDatabase',
      failures: ['INVALID_SQL', 'QUOTA_EXCEEDED'],
      access: WRITE,
      // A statement can delete something.
      stores: false,
      summary: "Run one SQL statement on the function's database",
      params: slugParams,
      body: SqlQuery,
      bodyLimit: SQL_BODY_LIMIT,
      response: QueryResult,
      handle: async ({ params, body, actor }) => runSql(cells, await own(params.slug, actor), body),
    }),
  ];
}

function transferRoutes({ db, cells }: DatabaseContext): Route[] {
  const own = createOwn(db);
  return [
    route({
      method: 'GET',
      path: '/api/functions/:slug/database/export',
      operationId: 'exportDatabase',
      answers: [
        {
          status: 200,
          description: 'The SQL text.',
          type: 'application/sql',
          headers: ['Content-Disposition'],
        },
      ],
      access: READ,
      summary: 'The database as SQL text',
      params: slugParams,
      handle: async ({ params, actor }) => exportSql(cells, await own(params.slug, actor)),
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug/database/import',
      operationId: 'importDatabase',
      bodyTypesToo: ['application/x-sql', 'text/plain'],
      failures: ['INVALID_SQL', 'QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Run a SQL script in one transaction (the body is the script itself)',
      params: slugParams,
      bodyType: 'application/sql',
      response: Imported,
      async handle({ params, actor, request }) {
        const row = await own(params.slug, actor);
        return importSql(cells, row, await readScript(request, senderOf(actor, '')));
      },
    }),
  ];
}
