import type { Imported, QueryResult, SqlQuery } from '../../contract/functions/functions.ts';
import type {
  DatabaseList,
  DatabaseSummary,
  NewSavedQuery,
  PatchSavedQuery,
  SavedQuery,
  SavedQueryList,
} from '../../contract/functions/saved-queries.ts';
import { api } from '../api.ts';

/** The endpoints that the database screens use. */

export type { DatabaseSummary, QueryResult, SavedQuery };

export type Row = QueryResult['results'][number];

/** The path of a function's database in the API. */
export const databasePath = (slug: string) => `/api/functions/${encodeURIComponent(slug)}/database`;

export const runSql = (slug: string, sql: string, params: unknown[] = [], signal?: AbortSignal) =>
  api.post<QueryResult>(databasePath(slug), { sql, params } satisfies SqlQuery, signal && { signal });

export const importScript = (slug: string, script: Blob) =>
  api.post<Imported>(`${databasePath(slug)}/import`, undefined, {
    body: script,
    contentType: 'application/sql',
  });

export async function listDatabases(signal: AbortSignal): Promise<DatabaseSummary[]> {
  return (await api.get<DatabaseList>('/api/databases', { signal })).databases;
}

const queriesPath = (slug: string) => `${databasePath(slug)}/queries`;
export async function listSavedQueries(slug: string, signal: AbortSignal): Promise<SavedQuery[]> {
  return (await api.get<SavedQueryList>(queriesPath(slug), { signal })).queries;
}
export const addSavedQuery = (slug: string, query: NewSavedQuery) =>
  api.post<SavedQuery>(queriesPath(slug), query);
export const changeSavedQuery = (slug: string, id: number, patch: PatchSavedQuery) =>
  api.patch<SavedQuery>(`${queriesPath(slug)}/${id}`, patch);
export const deleteSavedQuery = (slug: string, id: number) => api.delete(`${queriesPath(slug)}/${id}`);
