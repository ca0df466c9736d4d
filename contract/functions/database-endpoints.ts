import { endpoint, endpoints } from '../endpoint.ts';
import { READ, WRITE } from './access.ts';
import { DatabaseInfo, Imported, QueryResult, SQL_BODY_LIMIT, SqlQuery, slugParams } from './functions.ts';
import { MigrationList } from './migrations.ts';
import { DatabaseList } from './saved-queries.ts';

export const databaseEndpoints = endpoints({
  listDatabases: endpoint({
    method: 'GET',
    path: '/api/databases',
    access: READ,
    summary: 'List your databases, each with its size and the functions that use it',
    response: DatabaseList,
  }),
  getDatabase: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/database',
    access: READ,
    summary: "The functions that use this function's database, including itself",
    params: slugParams,
    response: DatabaseInfo,
  }),
  queryDatabase: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/database',
    failures: ['INVALID_SQL', 'QUOTA_EXCEEDED'],
    access: WRITE,
    // A statement can delete something.
    stores: false,
    summary: "Run one SQL statement on the function's database",
    params: slugParams,
    body: SqlQuery,
    bodyLimit: SQL_BODY_LIMIT,
    response: QueryResult,
  }),
  listMigrations: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/migrations',
    access: READ,
    summary: "The migrations of the function's database: applied ones, and pending ones among its files",
    params: slugParams,
    response: MigrationList,
  }),
  exportDatabase: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/database/export',
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
  }),
  importDatabase: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/database/import',
    bodyTypesToo: ['application/x-sql', 'text/plain'],
    failures: ['INVALID_SQL', 'QUOTA_EXCEEDED'],
    access: WRITE,
    summary: 'Run a SQL script in one transaction (the body is the script itself)',
    params: slugParams,
    bodyType: 'application/sql',
    response: Imported,
  }),
});
