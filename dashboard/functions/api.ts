import type { Home } from '../../contract/accounts/home/home.ts';
import { accountEndpoints } from '../../contract/accounts/own-account-endpoints.ts';
import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type {
  Code,
  FunctionDetail,
  FunctionSummary,
  NewFunction,
  PatchFunction,
} from '../../contract/functions/functions.ts';
import { jobEndpoints } from '../../contract/functions/jobs/endpoints.ts';
import type { Job, JobDetail, JobList } from '../../contract/functions/jobs/jobs.ts';
import type { ScheduleRun } from '../../contract/functions/schedule-run.ts';
import type { Schedule } from '../../contract/functions/schedules.ts';
import type { StatsRange } from '../../contract/functions/statistics.ts';
import type { Trigger } from '../../contract/functions/triggers.ts';
import { functionVersionEndpoints } from '../../contract/functions/version-endpoints.ts';
import { call } from '../api.ts';

/** The endpoints that the function screens use. */

export type { Code, FunctionDetail, Job, JobDetail, JobList, PatchFunction, Schedule, ScheduleRun, Trigger };

/** Lists of one's own functions say whether each is public. */
export type FunctionItem = Required<FunctionSummary>;

export async function listFunctions(signal: AbortSignal): Promise<FunctionItem[]> {
  const all: FunctionItem[] = [];
  for (let total = 1; all.length < total; ) {
    const query = { mine: 'true', limit: 100, offset: all.length } as const;
    const next = await call(functionEndpoints.listFunctions, { query, signal });
    all.push(...(next.functions as FunctionItem[]));
    // If functions are deleted during the loop, `total` is never reached.
    total = next.functions.length === 0 ? 0 : next.total;
  }
  return all;
}

export type Failing = Home['failingFunctions'][number];

/** The functions with the most errors in the last 24 hours. */
export const listFailing = async (signal: AbortSignal): Promise<Failing[]> =>
  (await call(accountEndpoints.getHome, { signal })).failingFunctions;

export const readFunction = (slug: string, signal?: AbortSignal) =>
  call(functionEndpoints.getFunction, { params: { slug }, signal });

export const createFunction = (body: NewFunction) => call(functionEndpoints.createFunction, { body });

export const patchFunction = (slug: string, body: PatchFunction) =>
  call(functionEndpoints.updateFunction, { params: { slug }, body });

export const runSchedule = (slug: string, cron: string) =>
  call(functionEndpoints.runFunctionSchedule, { params: { slug }, body: { cron } });

export const deleteFunction = (slug: string) => call(functionEndpoints.deleteFunction, { params: { slug } });

export const readCode = (slug: string, signal?: AbortSignal) =>
  call(functionEndpoints.getFunctionCode, { params: { slug }, signal });

export const listVersions = async (slug: string, signal: AbortSignal) =>
  (await call(functionVersionEndpoints.listFunctionVersions, { params: { slug }, signal })).versions;
export const readVersion = (slug: string, version: number, signal: AbortSignal) =>
  call(functionVersionEndpoints.getFunctionVersion, { params: { slug, version }, signal });
export const noteVersion = (slug: string, version: number, note: string) =>
  call(functionVersionEndpoints.updateFunctionVersion, { params: { slug, version }, body: { note } });
export const restoreVersion = (slug: string, version: number) =>
  call(functionVersionEndpoints.restoreFunctionVersion, { params: { slug, version } });

export const readStats = (slug: string, range: StatsRange, signal: AbortSignal) =>
  call(functionEndpoints.getFunctionStats, { params: { slug }, query: { range }, signal });

export const listJobs = (
  slug: string,
  query: { state: 'waiting' | 'failed'; limit: number; offset: number },
  signal: AbortSignal,
) => call(jobEndpoints.listJobs, { params: { slug }, query, signal });
export const readJob = (slug: string, id: number, signal: AbortSignal) =>
  call(jobEndpoints.getJob, { params: { slug, id }, signal });
/** Tries a failed job again, or all of them. */
export const retryJobs = (slug: string, id?: number) =>
  call(jobEndpoints.retryJobs, { params: { slug }, body: id === undefined ? {} : { id } });
export const deleteJob = (slug: string, id: number) => call(jobEndpoints.deleteJob, { params: { slug, id } });
export const deleteFailedJobs = (slug: string) => call(jobEndpoints.deleteFailedJobs, { params: { slug } });

export async function listSecrets(slug: string, signal: AbortSignal): Promise<string[]> {
  const { secrets } = await call(functionEndpoints.listSecrets, { params: { slug }, signal });
  return secrets.map(({ name }) => name);
}
export const setSecret = (slug: string, name: string, value: string) =>
  call(functionEndpoints.setSecret, { params: { slug, name }, body: { value } });
export const deleteSecret = (slug: string, name: string) =>
  call(functionEndpoints.deleteSecret, { params: { slug, name } });

/** The functions that use this function's database, including itself. */
export const listDatabaseUsers = async (slug: string, signal: AbortSignal) =>
  (await call(databaseEndpoints.getDatabase, { params: { slug }, signal })).usedBy;
