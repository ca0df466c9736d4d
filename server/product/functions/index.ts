import type { ServiceKey } from '../../lib/secrets.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type {
  CookieJar,
  EventStreams,
  Handler,
  Identities,
  Log,
  RespondToError,
  Route,
  Sockets,
  TrialShare,
} from '../../platform/http/index.ts';
import type { Db, Storage } from '../../platform/storage/index.ts';
import type { Bundler } from '../../runtime/bundler/index.ts';
import type { Cells } from '../../runtime/cells/index.ts';
import type { Databases, SnapshotKeeper } from '../../runtime/databases/index.ts';
import type { FetchExternal } from '../../runtime/egress/index.ts';
import type { FunctionHistory } from '../moment-ports.ts';
import type { ChargeUsage, MomentKeeper, PageDirectory, RecordTriggers } from '../ports.ts';
import { FunctionAdministration } from './administration/administration.ts';
import { type BranchesContext, createFunctionBranches, type FunctionBranches } from './branches/copy.ts';
import { Calls, type CallsOptions } from './calls/call.ts';
import { deathText } from './calls/crash-messages.ts';
import { BranchAccess } from './calls/gate/branch-access.ts';
import { FunctionNames } from './calls/names.ts';
import { Registry } from './calls/registry.ts';
import type { FindMember } from './calls/test-caller.ts';
import { type PageVisitors, WhoCalls } from './calls/who-calls.ts';
import { createGrantBytes, giveBackGrants } from './database/grants.ts';
import { createDeployTurns } from './deploy/deploy-turns.ts';
import { installBuiltin } from './deploy/platform-functions.ts';
import { removeRetiredDatabases } from './deploy/remove-databases.ts';
import { createFunctionHistory } from './history/function-history.ts';
import { purgeFailedChanges } from './jobs/change.ts';
import { countAllMessages, listFailing } from './jobs/store.ts';
import { LiveCalls } from './live/live-calls.ts';
import { listDailyCalls } from './logs/daily-calls.ts';
import { FunctionLogs } from './logs/logs.ts';
import { Stacks } from './logs/stacks.ts';
import { STATS_KEPT_MS } from './logs/stats-report.ts';
import { deleteStatsBefore, sumOwnerStats } from './logs/stats-store.ts';
import { findFunctionById, listPublic, listTakenDown, listVisible } from './model/store.ts';
import { createWorkerUrl } from './model/worker-url.ts';
import { type OwnRuns, startOwnRuns, toOwnRuns } from './own-runs.ts';
import { FunctionLeaving } from './privacy/leaving.ts';
import { functionRoutes } from './routes.ts';
import { runNow } from './schedules/run-now.ts';
import { countDueBefore } from './schedules/store.ts';
import { createFunctionSealer } from './secrets/secrets.ts';
import { connectServices } from './services/connect.ts';
import type { FunctionAi, ServicesContext } from './services/context.ts';

/** Calls of functions, which bypass the router. */
export type { CallOrigin, Calls } from './calls/call.ts';
/** The pages that a change of a function or of a page's databases concerns. */
export { listPagesBeside, listPagesOfFunction } from './database/concerned-pages.ts';
/** Charges owners for their databases in a cluster. */
export { createGrantBytes } from './database/grants.ts';
/** Which databases have moved while the number of shards changes. */
export * as shardMoves from './database/moves.ts';
/** The databases of an owner. */
export { listDatabaseIds } from './database/store.ts';
/** The limits that functions have for AI. */
export { functionLimits } from './model/ai-use.ts';
/** The functions that belong to pages. */
export { createPageFunctions, listFunctionsOfPage } from './model/page-functions.ts';
/** The code of the functions of a page. */
export { readCodeOfPage } from './model/page-store.ts';
/** Exports functions. */
export { exportFunctions } from './privacy/export.ts';
/** Whether a user has a function or a database. */
export { ownsFunctions } from './privacy/store.ts';
/** Checks whether a key is the one of this service. */
export { isSealedWith } from './secrets/key-check.ts';
/** What functions store. */
export { type FunctionUse, measureFunctions } from './storage/measure.ts';
/** Encrypts secrets with a new key, and those of triggers. */
export { resealFunctions } from './triggers/reseal.ts';

/**
 * Finds the functions with these slugs that somebody who works on a page may know: their own, public ones, and if the page is
 * a branch, those of this branch.
 */
export async function functionsKnownTo(
  db: Db,
  userId: number,
  slugs: string[],
  pageId: number,
): Promise<Map<string, 'public' | 'private'>> {
  const rows = await listVisible(db, { userId, pageId }, slugs);
  return new Map(rows.map(({ slug, is_public }) => [slug, is_public === 1 ? 'public' : 'private']));
}

/** Whether there is a function with this id. */
export async function hasFunction(db: Db, id: number): Promise<boolean> {
  return (await findFunctionById(db, id)) !== undefined;
}

/** Reads the public information about functions that are public, for those who see a page. */
export async function describeFunctions(db: Db, page: { id: number }, slugs: string[]) {
  const rows = slugs.length === 0 ? [] : await listPublic(db, slugs, { pageId: page.id });
  return rows.map(({ slug, display_name, description }) => ({
    slug,
    displayName: display_name,
    description,
  }));
}

/** Finds the functions with these slugs of the owner of a page that anyone who sees the page can call. */
export async function findPublicFunctions(
  db: Db,
  { id, owner_id }: { id: number; owner_id: number },
  slugs: readonly string[],
): Promise<string[]> {
  const rows = slugs.length === 0 ? [] : await listPublic(db, slugs, { pageId: id, ownerId: owner_id });
  return rows.map(({ slug }) => slug);
}

/** Runs of all live calls of one owner. */
const LIVE_RUNS_PER_MINUTE = 6_000;

/** Functions: deploying and calling owners' code. */
export interface Functions {
  routes: Route[];
  calls: Calls;
  /** Connects the services in `env` to the API, when all routes are known. */
  connect(others: { call: Handler; ai: FunctionAi }): void;
  /** Reads a function again at its next call, on all nodes. */
  changed(functionId: number): void;
  /** Call this when a page, or who can see it, has changed. */
  accessChanged(pageId: number): void;
  /** The functions, as administrators see and change them. */
  administration: FunctionAdministration;
  /** The functions of pages at a time, for moments. */
  history: FunctionHistory;
  /** The functions that get changes of records. */
  triggers: RecordTriggers;
  /** The copies of functions that branches have. */
  branches: FunctionBranches;
  /** The page of the branch that a function belongs to; undefined for all others. */
  findBranchPage(functionId: number): Promise<number | undefined>;
  /** Removes the functions of users whose account is deleted. */
  leaving: FunctionLeaving;
  /** Removes statistics that are no longer shown, and databases that could not be removed before. */
  purge(): Promise<void>;
  /** Functions of an owner that an administrator took down. */
  listTakenDown(ownerId: number): Promise<Array<{ slug: string }>>;
  /** Functions of an owner with jobs that have failed, those with most first. */
  listFailedJobs(ownerId: number, limit: number): ReturnType<typeof listFailing>;
  /** Calls of each function of an owner since a moment, in whole hours. */
  callsSince(ownerId: number, moment: number): ReturnType<typeof sumOwnerStats>;
  /** Calls of each function of an owner on each of the last days; functions without any are left out. */
  dailyCalls(ownerId: number, days: number): Promise<Array<{ slug: string; calls: number[] }>>;
  /** Runs on schedules. */
  schedules: OwnRuns & {
    /** The number of runs that should have begun before a time, and have not. */
    countDueBefore(time: number): Promise<number>;
  };
  /** Runs for messages. */
  jobs: OwnRuns & {
    /** The messages of all queues, and when the first was due that nobody has begun; null if none is. */
    count(): Promise<{ waiting: number; failed: number; dueAt: number | null }>;
  };
  /** Writes the last output of cells. Call this when cells have stopped. */
  stop(): Promise<void>;
}

interface FunctionsOptions
  extends Pick<ServicesContext, 'mail' | 'keepMail' | 'findReachable' | 'listConfirmedEmails' | 'listTeam'> {
  db: Db;
  /** The account that owns what people try; undefined if nobody has tried anything yet. */
  peekTrialOwner(): Promise<number | undefined>;
  storage: Pick<Storage, 'search' | 'commit'>;
  log: Log;
  respondToError: RespondToError;
  now: () => number;
  key: ServiceKey;
  cells: Cells;
  databases: Databases;
  snapshots: SnapshotKeeper;
  bundler: Bundler;
  fetchExternal: FetchExternal;
  limits: Limits;
  trialShare: TrialShare;
  streams: EventStreams;
  sockets: Sockets;
  identities: Identities;
  cookies: CookieJar;
  pages: PageDirectory;
  visitors: PageVisitors;
  findMember: FindMember;
  baseUrl: string;
  /** Messages to and from the other nodes. */
  broadcast: Broadcast;
  chargeUsage: ChargeUsage;
  chargeWithoutQuota: ChargeUsage;
  moments: MomentKeeper;
  callFailed: CallsOptions['callFailed'];
  /** How many bytes a user can still store, for storage that is not charged. */
  remaining(userId: number): Promise<number>;
  config: {
    baseUrl: string;
    functionsHost: string | undefined;
    callsPerMinute: number;
    deploysPerHour: number;
    scheduledRunsPerMinute: number;
    maxCells: number;
    functionMail: 'team' | 'anyone';
  };
}

export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  const { db, now, cells, limits, config } = options;
  await installBuiltin(db, now());
  await prepareDatabases(options);

  const logs = new FunctionLogs({ ...options, stacks: new Stacks(options) });
  cells.onDeath((id, reason) =>
    logs.system(id, deathText(reason, cells.memoryMegabytes) ?? 'The function crashed and was stopped.'),
  );
  const sealer = createFunctionSealer(options.key);
  const registry = new Registry({ ...options, sealer, logs });
  const { calling, callLimit, calls, liveCalls, branchAccess } = createCalls(options, { registry, logs });
  const runs = await startOwnRuns({ ...options, registry, logs, sealer });
  const { jobs, scheduler, triggers, wake } = runs;
  const { commit } = options.storage;
  const services = { ...options, ...calling, calls, commit, wakeJobs: () => jobs.wake() };
  const { connect } = connectServices(services);
  const deployLimit = limits.limit(
    'deploys',
    { points: config.deploysPerHour, seconds: 3600 },
    'You have deployed {points} times in the last hour, which is the limit. Try again {wait}.',
  );
  const deployTurns = createDeployTurns(deployLimit);
  const workerUrl = createWorkerUrl(config);
  return {
    routes: functionRoutes({
      ...{ ...options, ...calling, calls, sealer, deployTurns, workerUrl, scheduler, jobs },
      ...{ liveCalls, callLimit, branchAccess },
      runNow: (run) => runNow({ ...runs.runContext, scheduler }, run),
    }),
    ...{ calls, connect, triggers, changed: (id: number) => registry.drop(id) },
    ...serveBranches({ ...options, registry, sealer, logs, deployTurns }),
    accessChanged: (pageId) => liveCalls.accessChanged(pageId),
    administration: new FunctionAdministration({ ...options, registry, wake }),
    history: createFunctionHistory({ ...options, registry, sealer, wake }),
    leaving: new FunctionLeaving({ ...options, registry }),
    async purge() {
      await deleteStatsBefore(db, now() - STATS_KEPT_MS);
      await removeRetiredDatabases(options);
      await runs.repair();
      await purgeFailedChanges(options);
    },
    listTakenDown: (ownerId) => listTakenDown(db, ownerId),
    listFailedJobs: (ownerId, limit) => listFailing(db, ownerId, limit),
    async callsSince(ownerId, moment) {
      // Statistics that cannot be written now are shown the next time.
      await logs.flush().catch(() => undefined);
      return sumOwnerStats(db, ownerId, moment - (moment % (3600 * 1000)));
    },
    dailyCalls: (ownerId, days) => listDailyCalls({ db, logs, now }, ownerId, days),
    schedules: { ...toOwnRuns(scheduler), countDueBefore: (time) => countDueBefore(db, time) },
    jobs: { ...toOwnRuns(jobs), count: () => countAllMessages(db) },
    stop: () => logs.stop(),
  };
}

/** Calls of functions, and those that visitors follow. */
function createCalls(
  options: FunctionsOptions,
  { registry, logs }: { registry: Registry; logs: FunctionLogs },
) {
  const { limits, config } = options;
  const rate = { points: config.callsPerMinute, seconds: 60 };
  const message = 'Too many calls from your address. Try again {wait}.';
  const whoCalls = new WhoCalls(options);
  const names = new FunctionNames({ ...options, registry });
  const calling = { whoCalls, registry, logs, names };
  const callLimit = limits.limit('function-calls', rate, message);
  const branchAccess = new BranchAccess({ ...options, whoCalls });
  const calls = new Calls({
    ...{ ...options, ...calling, branchAccess },
    apiLimit: callLimit,
    hostLimit: limits.limit('function-host-calls', rate, message),
  });
  const runLimit = limits.limit('live-runs', { points: LIVE_RUNS_PER_MINUTE, seconds: 60 }, message);
  const liveCalls = new LiveCalls({ ...options, ...calling, calls, runLimit });
  return { calling, callLimit, calls, liveCalls, branchAccess };
}

function serveBranches(context: BranchesContext): Pick<Functions, 'branches' | 'findBranchPage'> {
  const { registry } = context;
  return {
    branches: createFunctionBranches(context),
    findBranchPage: (id) => registry.findBranchPage(id),
  };
}

/** Sets the quota of databases, and removes databases that could not be removed because of a crash. */
async function prepareDatabases(options: FunctionsOptions): Promise<void> {
  const { db, log, databases, chargeUsage, remaining } = options;
  databases.useQuota({ remaining, grant: createGrantBytes(db, chargeUsage) });
  if (databases.countedBy === 'files') await giveBackGrants(db, chargeUsage);
  // A database may take a moment to become available, and the start does not wait for that.
  removeRetiredDatabases(options).catch((error: unknown) =>
    log.warn({ err: error }, 'deleted databases could not be listed'),
  );
}
