import type { Home } from '../../contract/accounts/home.ts';
import type { Restored } from '../../contract/fields.ts';
import type {
  Code,
  DatabaseInfo,
  Deployed,
  FunctionDetail,
  FunctionList,
  FunctionSummary,
  NewFunction,
  Patched,
  PatchFunction,
  SecretBody,
  SecretList,
} from '../../contract/functions/functions.ts';
import type { ScheduleRun } from '../../contract/functions/schedule-run.ts';
import type { Schedule } from '../../contract/functions/schedules.ts';
import type { Stats, StatsRange } from '../../contract/functions/statistics.ts';
import type {
  FunctionVersion,
  FunctionVersionDetail,
  FunctionVersionList,
} from '../../contract/functions/versions.ts';
import { api } from '../api.ts';

/** The endpoints that the function screens use. */

export type { Code, FunctionDetail, PatchFunction, Schedule, ScheduleRun };

/** Lists of one's own functions say whether each is public. */
export type FunctionItem = Required<FunctionSummary>;

/** The path of a function in the API. */
export const pathOf = (slug: string) => `/api/functions/${encodeURIComponent(slug)}`;

export async function listFunctions(signal: AbortSignal): Promise<FunctionItem[]> {
  const all: FunctionItem[] = [];
  for (let total = 1; all.length < total; ) {
    const path = `/api/functions?mine=true&limit=100&offset=${all.length}`;
    const next = await api.get<FunctionList & { functions: FunctionItem[] }>(path, { signal });
    all.push(...next.functions);
    // If functions are deleted during the loop, `total` is never reached.
    total = next.functions.length === 0 ? 0 : next.total;
  }
  return all;
}

export type Failing = Home['failingFunctions'][number];

/** The functions with the most errors in the last 24 hours. */
export const listFailing = async (signal: AbortSignal): Promise<Failing[]> =>
  (await api.get<Home>('/api/home', { signal })).failingFunctions;

export const readFunction = (slug: string, signal: AbortSignal) =>
  api.get<FunctionDetail>(pathOf(slug), { signal });

export const createFunction = (fields: NewFunction) => api.post<Deployed>('/api/functions', fields);

export const patchFunction = (slug: string, patch: PatchFunction) => api.patch<Patched>(pathOf(slug), patch);

export const runSchedule = (slug: string, cron: string) =>
  api.post<ScheduleRun>(`${pathOf(slug)}/schedules/run`, { cron });

export const deleteFunction = (slug: string) => api.delete(pathOf(slug));

export const readCode = (slug: string, signal?: AbortSignal) =>
  api.get<Code>(`${pathOf(slug)}/code`, signal && { signal });

const versionsPath = (slug: string) => `${pathOf(slug)}/versions`;
export async function listVersions(slug: string, signal: AbortSignal): Promise<FunctionVersion[]> {
  return (await api.get<FunctionVersionList>(versionsPath(slug), { signal })).versions;
}
export const readVersion = (slug: string, version: number, signal: AbortSignal) =>
  api.get<FunctionVersionDetail>(`${versionsPath(slug)}/${version}`, { signal });
export const noteVersion = (slug: string, version: number, note: string) =>
  api.patch(`${pathOf(slug)}/versions/${version}`, { note });

export const restoreVersion = (slug: string, version: number) =>
  api.post<Restored>(`${versionsPath(slug)}/${version}/restore`);

export const readStats = (slug: string, range: StatsRange, signal: AbortSignal) =>
  api.get<Stats>(`${pathOf(slug)}/stats?range=${range}`, { signal });

export async function listSecrets(slug: string, signal: AbortSignal): Promise<string[]> {
  const { secrets } = await api.get<SecretList>(`${pathOf(slug)}/secrets`, {
    signal,
  });
  return secrets.map(({ name }) => name);
}

const secretPath = (slug: string, name: string) => `${pathOf(slug)}/secrets/${encodeURIComponent(name)}`;
export const setSecret = (slug: string, name: string, value: string) =>
  api.put<void>(secretPath(slug, name), { value } satisfies SecretBody);
export const deleteSecret = (slug: string, name: string) => api.delete(secretPath(slug, name));

/** The functions that use this function's database, including itself. */
export async function listDatabaseUsers(slug: string, signal: AbortSignal): Promise<string[]> {
  return (await api.get<DatabaseInfo>(`${pathOf(slug)}/database`, { signal })).usedBy;
}
