import type { RestoreChanges } from '../../../contract/pages/history/moments.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Log, Route } from '../../platform/http/index.ts';
import { afterCommit, type Db, type PageRow, type Storage, type Tx } from '../../platform/storage/index.ts';
import type { MomentCause, MomentKeeper, PageDirectory } from '../ports.ts';
import type { HistoryContext, Parts } from './context.ts';
import { Growth } from './growth.ts';
import { keepMoment } from './keep.ts';
import { Keeper } from './keeper.ts';
import { PageTimes } from './page-times.ts';
import { MAKING, Pauses } from './pauses.ts';
import { fitShare, purgeMoments, readShare } from './purge.ts';
import { listRunning } from './restore-store.ts';
import { Restores } from './restores/restores.ts';
import { historyRoutes } from './routes.ts';
import { type ApplicationState, parseState, readState } from './state.ts';
import {
  deleteMoments,
  findMoment,
  listLastTimes,
  listNamedSince,
  listTimes,
  measureMoments,
} from './store.ts';

/** Exports the moments of a page. */
export { exportMoments } from './privacy/export.ts';

/** How often restores are looked at whose node may be lost, or which failed and have to be tried again. */
const LOOK_EVERY_MS = 10_000;

/** The history of pages: moments of whole applications, and their restore. */
export interface History {
  /** For slices that change something. They can have it before the history is connected with them. */
  keeper: MomentKeeper;
  /** Connects the history with the parts of applications, and goes on with restores that were interrupted. */
  connect(parts: Parts): Promise<void>;
  /** What branches need of moments. */
  forBranches: {
    isOn: boolean;
    /** Keeps a moment with copies of all databases. Undefined if the page is gone. */
    keep(pageId: number, cause: MomentCause): Promise<number | undefined>;
    /** The last moment at or before a time. */
    find(pageId: number, upTo: number): Promise<{ at: number; state: ApplicationState } | undefined>;
    /** The last moment if a page is still like that, and otherwise one of it as it is. Undefined if the page is gone. */
    findPresent(pageId: number): Promise<{ at: number; state: ApplicationState } | undefined>;
    pause(pageId: number): Promise<void>;
    resume(pageId: number): void;
    learnPaused: Pauses['learn'];
    /** Brings what was decided about a branch to a page, in the steps of a restore. */
    merge(page: PageRow, order: object, by: number): Promise<{ changes: RestoreChanges; undo: number }>;
    /** Reads the state of a page and its functions as they are. */
    readState(db: Db, page: PageRow): Promise<Omit<ApplicationState, 'databases'>>;
  };
  /** The routes, once the history is connected. */
  routes(): Route[];
  /** Removes what only the moments of a page need, with the page. Returns how many bytes its owner was charged: none. */
  removeWithPage(tx: Tx, page: { id: number }): Promise<number>;
  /** The bytes that the history of a user's pages takes, and how many it may take: null without a limit. */
  readShare(userId: number): Promise<{ bytes: number; share: number | null }>;
  /** The bytes of the moments of each of these pages. */
  measureMoments: typeof measureMoments;
  purge(isStopping: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

interface HistoryOptions {
  storage: Pick<Storage, 'db' | 'commit'>;
  now: () => number;
  log: Log;
  broadcast: Broadcast;
  directory: PageDirectory;
  config: { historyDays: number };
  readQuota: HistoryContext['readQuota'];
  readUsernames: HistoryContext['readUsernames'];
  chargeWithoutQuota: HistoryContext['chargeWithoutQuota'];
}

export function createHistory({ storage, config, ...options }: HistoryOptions): History {
  const [pauses, making] = [new Pauses(options.broadcast), new Pauses(options.broadcast, MAKING)];
  const times = new PageTimes(options);
  let connected: Parts | undefined;
  const parts = (): Parts => {
    if (!connected) throw new Error('the history is not connected yet');
    return connected;
  };
  const context: HistoryContext = {
    ...options,
    ...{ db: storage.db, days: config.historyDays, pauses, making, times, parts },
    noteGrowth: (ownerId, bytes) => growth.note(ownerId, bytes),
  };
  const growth = watchGrowth(context);
  const keeper = new Keeper(context);
  const noteChange = (id: number) => keeper.noteChange(id);
  const restores = new Restores({ ...context, commit: storage.commit, noteChange });
  const resume = () =>
    restores
      .resume()
      .catch((error: unknown) => options.log.warn({ err: error }, 'restores could not be read'));
  const learnTimes = async () => times.learn(await listLastTimes(storage.db));
  const looking = setInterval(() => void resume(), LOOK_EVERY_MS).unref();
  // Messages about pauses and moments may be among those that were lost.
  options.broadcast.onGap(() => {
    void resume();
    learnTimes().catch((error: unknown) => options.log.warn({ err: error }, 'moments could not be read'));
  });
  return {
    keeper,
    async connect(started) {
      connected = started;
      await learnTimes();
      started.records.keepFor({
        listWanted: () => listNeededSince(context),
        listRestoring: () => listRestoringSince(context),
      });
      await restores.resume({ isOnlyNode: options.broadcast.isSingleNode });
    },
    ...{
      forBranches: serveBranches(context, restores),
      routes: () => historyRoutes({ ...context, restores }),
    },
    removeWithPage: (tx, { id }) => removeWithPage(context, tx, id),
    readShare: (userId) => readShare(context, userId),
    measureMoments,
    purge: (isStopping) => purgeMoments(context, isStopping).then(() => growth.clear()),
    async stop() {
      clearInterval(looking);
      await restores.stop();
      await keeper.stop();
      await growth.stop();
    },
  };
}

/** Since when the history of records is needed: by moments with a name, and by branches. */
async function listNeededSince({ db, parts }: HistoryContext): Promise<Map<number, number>> {
  const since = await listNamedSince(db);
  for (const [pageId, times] of await parts().listBases())
    since.set(pageId, Math.min(since.get(pageId) ?? Number.POSITIVE_INFINITY, ...times));
  return since;
}

/** Since when the history of records is needed by restores and merges that run. */
async function listRestoringSince({ db, parts }: HistoryContext): Promise<Map<number, number>> {
  const rows = await listRunning(db);
  const isMerging = rows.some(({ merge }) => merge !== null);
  const bases = isMerging ? await parts().listBases() : new Map<number, number[]>();
  return new Map(
    rows.map(({ page_id, at, undo_at, merge }) => [
      page_id,
      Math.min(at, undo_at ?? at, ...(merge === null ? [] : (bases.get(page_id) ?? []))),
    ]),
  );
}

function serveBranches(context: HistoryContext, restores: Restores): History['forBranches'] {
  const { db, making } = context;
  const find = async (pageId: number, upTo: number) => {
    const moment = await findMoment(db, pageId, upTo);
    return moment && { at: moment.at, state: parseState(moment) };
  };
  return {
    isOn: context.days > 0,
    keep: (pageId, cause) => keepMoment(context, pageId, { cause, mustHaveDatabases: true }),
    find,
    async findPresent(pageId) {
      await keepMoment(context, pageId, { ifChanged: true, mustHaveDatabases: true });
      return find(pageId, Number.MAX_SAFE_INTEGER);
    },
    pause: (pageId) => making.begin(pageId),
    resume: (pageId) => making.end(pageId),
    learnPaused: (read) => making.learn(read),
    merge: (page, order, by) => restores.merge(page, order, by),
    readState: (reader, page) => readState(context.parts(), reader, page),
  };
}

/** Removes what only the moments of a page need. Returns how many bytes were charged for it. */
async function removeWithPage({ parts, log }: HistoryContext, tx: Tx, pageId: number): Promise<number> {
  const unused = await removeMoments(tx, pageId);
  const drop = () =>
    void parts()
      .snapshots.drop(unused)
      .catch((error: unknown) => log.warn({ err: error }, 'snapshots could not be removed'));
  if (unused.length > 0) await afterCommit(tx, drop);
  return 0;
}

/** Removes all moments of a page. Returns the snapshots that nothing needs any more. */
async function removeMoments(tx: Tx, pageId: number): Promise<number[]> {
  const moments = await listTimes(tx, pageId);
  return deleteMoments(
    tx,
    moments.map(({ id }) => id),
  );
}

function watchGrowth(context: HistoryContext): Growth {
  const { log, now } = context;
  return new Growth({
    now,
    fit: (ownerId) => fitShare(context, ownerId),
    onFailure: (error) => log.warn({ err: error }, 'old moments could not be removed'),
  });
}
