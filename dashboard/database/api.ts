import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import type { QueryResult } from '../../contract/functions/functions.ts';
import type {
  DatabaseSummary,
  NewSavedQuery,
  PatchSavedQuery,
  SavedQuery,
} from '../../contract/functions/saved-queries.ts';
import { savedQueryEndpoints } from '../../contract/functions/saved-query-endpoints.ts';
import { call } from '../api.ts';

/** The endpoints that the database screens use. */

export type { DatabaseSummary, QueryResult, SavedQuery };

export type Row = QueryResult['results'][number];

export const runSql = (slug: string, sql: string, params: unknown[] = [], signal?: AbortSignal) =>
  call(databaseEndpoints.queryDatabase, { params: { slug }, body: { sql, params }, signal });

export const importScript = (slug: string, script: Blob) =>
  call(databaseEndpoints.importDatabase, {
    params: { slug },
    raw: { body: script, type: 'application/sql' },
  });

export const listDatabases = async (signal: AbortSignal) =>
  (await call(databaseEndpoints.listDatabases, { signal })).databases;

export const listMigrations = async (slug: string, signal: AbortSignal) =>
  (await call(databaseEndpoints.listMigrations, { params: { slug }, signal })).migrations;

export const listSavedQueries = async (slug: string, signal: AbortSignal) =>
  (await call(savedQueryEndpoints.listSavedQueries, { params: { slug }, signal })).queries;
export const addSavedQuery = (slug: string, body: NewSavedQuery) =>
  call(savedQueryEndpoints.createSavedQuery, { params: { slug }, body });
export const changeSavedQuery = (slug: string, id: number, body: PatchSavedQuery) =>
  call(savedQueryEndpoints.updateSavedQuery, { params: { slug, id }, body });
export const deleteSavedQuery = (slug: string, id: number) =>
  call(savedQueryEndpoints.deleteSavedQuery, { params: { slug, id } });
