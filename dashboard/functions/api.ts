import { api } from '../api.ts';

/** The endpoints that the function screens use. */

export interface FunctionItem {
  slug: string;
  displayName: string;
  description: string;
  owner: string;
  hasDatabase: boolean;
  isPublic: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface FunctionDetail extends FunctionItem {
  workerUrl: string;
}

interface NewFunction {
  slug: string;
  code: string;
  displayName?: string;
  isPublic?: boolean;
  enableDatabase?: boolean;
  useDatabase?: string;
}

export interface Deployed {
  code: string;
  version: number;
}

export interface HourOfCalls {
  hour: string;
  calls: number;
  errors: number;
  averageMs: number;
  maxMs: number;
}

export type Row = Record<string, unknown>;

export interface QueryResult {
  results: Row[];
  meta: { changes: number; duration: number; last_row_id: number; rows_read: number; rows_written: number };
}

/** The path of a function in the API. */
export const pathOf = (slug: string) => `/api/functions/${encodeURIComponent(slug)}`;

export async function listFunctions(signal: AbortSignal): Promise<FunctionItem[]> {
  const all: FunctionItem[] = [];
  for (let total = 1; all.length < total; ) {
    const path = `/api/functions?mine=true&limit=100&offset=${all.length}`;
    const next = await api.get<{ functions: FunctionItem[]; total: number }>(path, { signal });
    all.push(...next.functions);
    // If functions are deleted during the loop, `total` is never reached.
    total = next.functions.length === 0 ? 0 : next.total;
  }
  return all;
}

export const readFunction = (slug: string, signal: AbortSignal) =>
  api.get<FunctionDetail>(pathOf(slug), { signal });

export const createFunction = (fields: NewFunction) => api.post<FunctionDetail>('/api/functions', fields);

export type Patch = Partial<Pick<FunctionDetail, 'displayName' | 'description' | 'isPublic'>> & {
  code?: string;
};
export const patchFunction = (slug: string, patch: Patch) => api.patch<FunctionDetail>(pathOf(slug), patch);

export const deleteFunction = (slug: string) => api.delete(pathOf(slug));

export const readCode = (slug: string, signal?: AbortSignal) =>
  api.get<Deployed>(`${pathOf(slug)}/code`, signal && { signal });

export async function readStats(slug: string, signal: AbortSignal): Promise<HourOfCalls[]> {
  return (await api.get<{ stats: HourOfCalls[] }>(`${pathOf(slug)}/stats`, { signal })).stats;
}

export async function listSecrets(slug: string, signal: AbortSignal): Promise<string[]> {
  const { secrets } = await api.get<{ secrets: Array<{ name: string }> }>(`${pathOf(slug)}/secrets`, {
    signal,
  });
  return secrets.map(({ name }) => name);
}

const secretPath = (slug: string, name: string) => `${pathOf(slug)}/secrets/${encodeURIComponent(name)}`;
export const setSecret = (slug: string, name: string, value: string) =>
  api.put<void>(secretPath(slug, name), { value });
export const deleteSecret = (slug: string, name: string) => api.delete(secretPath(slug, name));

export const runSql = (slug: string, sql: string, params: unknown[] = [], signal?: AbortSignal) =>
  api.post<QueryResult>(`${pathOf(slug)}/database`, { sql, params }, signal && { signal });

/** The functions that use this function's database, including itself. */
export async function listDatabaseUsers(slug: string, signal: AbortSignal): Promise<string[]> {
  return (await api.get<{ usedBy: string[] }>(`${pathOf(slug)}/database`, { signal })).usedBy;
}

export const importScript = (slug: string, script: Blob) =>
  api.post<{ message: string }>(`${pathOf(slug)}/database/import`, undefined, {
    body: script,
    contentType: 'application/sql',
  });
