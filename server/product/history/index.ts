import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Log, Route } from '../../platform/http/index.ts';
import { afterCommit, type Storage, type Tx } from '../../platform/storage/index.ts';
import type { MomentKeeper, PageDirectory } from '../ports.ts';
import type { HistoryContext, Parts } from './context.ts';
import { Growth } from './growth.ts';
import { Keeper } from './keeper.ts';
import { PageTimes } from './page-times.ts';
import { Pauses } from './pauses.ts';
import { fitShare, purgeMoments, readShare } from './purge.ts';
import { Restores } from './restores.ts';
import { historyRoutes } from './routes.ts';
import { deleteMoments, listLastTimes, listNamedSince, listTimes } from './store.ts';

/** Exports the moments of a page. */
export { exportMoments } from './privacy/export.ts';

/** How often restores of other nodes are looked at, which may be lost. */
const LOOK_EVERY_MS = 60_000;

/** The history of pages: moments of whole applications, and their restore. */
export interface History {
  /** For slices that change something. They can have it before the history is connected with them. */
  keeper: MomentKeeper;
  /** Connects the history with the parts of applications, and goes on with restores that were interrupted. */
  connect(parts: Parts): Promise<void>;
  /** The routes, once the history is connected. */
  routes(): Route[];
  /** Removes what only the moments of a page need, with the page. Returns how many bytes its owner was charged: none. */
  removeWithPage(tx: Tx, page: { id: number }): Promise<number>;
  /** The bytes that the history of a user's pages takes, and how many it may take: null without a limit. */
  readShare(userId: number): Promise<{ bytes: number; share: number | null }>;
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
  const pauses = new Pauses(options.broadcast);
  const times = new PageTimes(options);
  let connected: Parts | undefined;
  const parts = (): Parts => {
    if (!connected) throw new Error('the history is not connected yet');
    return connected;
  };
  const context: HistoryContext = {
    ...options,
    ...{ db: storage.db, days: config.historyDays, pauses, times, parts },
    noteGrowth: (ownerId, bytes) => growth.note(ownerId, bytes),
  };
  const growth = watchGrowth(context);
  const keeper = new Keeper(context);
  const restores = new Restores({
    ...context,
    commit: storage.commit,
    noteChange: (id: number) => keeper.noteChange(id),
  });
  const resume = () =>
    restores
      .resume()
      .catch((error: unknown) => options.log.warn({ err: error }, 'restores could not be read'));
  const learnTimes = async () => times.learn(await listLastTimes(storage.db));
  const drop = (snapshots: number[]) =>
    parts()
      .snapshots.drop(snapshots)
      .catch((error: unknown) => options.log.warn({ err: error }, 'snapshots could not be removed'));
  const looking = setInterval(() => void resume(), LOOK_EVERY_MS);
  looking.unref();
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
      started.records.keepFor(() => listNamedSince(storage.db));
      await restores.resume({ isOnlyNode: options.broadcast.isSingleNode });
    },
    routes: () => historyRoutes({ ...context, restores }),
    async removeWithPage(tx, { id }) {
      const unused = await removeMoments(tx, id);
      if (unused.length > 0) await afterCommit(tx, () => void drop(unused));
      return 0;
    },
    readShare: (userId) => readShare(context, userId),
    purge: (isStopping) => purgeMoments(context, isStopping).then(() => growth.clear()),
    async stop() {
      clearInterval(looking);
      await restores.stop();
      await keeper.stop();
      await growth.stop();
    },
  };
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
