import type { Cells } from '../../platform/cells/index.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { EventStreams, Identities, Log, RespondToError, Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../accounts/index.ts';
import { Calls } from './calls/call.ts';
import { deathText } from './calls/deaths.ts';
import { createGrantRoom, giveBackRoom } from './database/grants.ts';
import { removeDatabase } from './deploy.ts';
import { createDeployTurns } from './deploy-turns.ts';
import { startFunctionLogs } from './logs/logs.ts';
import { installBuiltin } from './platform-functions.ts';
import { createRegistry } from './registry.ts';
import { functionRoutes, STATS_MS } from './routes.ts';
import { createSealer } from './secrets/secrets.ts';
import { deleteStatsBefore, listRetiredDatabases } from './store.ts';
import { createWorkerUrl } from './worker-url.ts';

/** Calls of functions, which take a shorter way than the routes. */
export type { Caller, Calls } from './calls/call.ts';
/** Tells the key of a service from others. */
export { isSealedWith } from './secrets/key-check.ts';

/** Functions: deploying and calling owners' code. */
export interface Functions {
  routes: Route[];
  calls: Calls;
  /** Forgets statistics that are no longer shown, and removes what could not be removed before; to be called now and then. */
  sweep(): Promise<void>;
  /** To be called when cells have stopped: it writes the last of what they printed. */
  stop(): Promise<void>;
}

export async function startFunctions(options: {
  db: Db;
  log: Log;
  respondToError: RespondToError;
  now: () => number;
  key: Buffer;
  cells: Cells;
  limits: Limits;
  streams: EventStreams;
  identities: Identities;
  /** To and from the other nodes. */
  broadcast: Broadcast;
  chargeUsage: ChargeUsage;
  /** How many bytes a user's databases may take up. */
  roomForDatabases(userId: number): Promise<number>;
  config: {
    baseUrl: string;
    functionsHost: string | undefined;
    callsPerMinute: number;
    deploysPerHour: number;
  };
}): Promise<Functions> {
  const { db, log, now, cells, limits, broadcast, chargeUsage, config } = options;
  const { isCluster } = cells.databases;
  cells.databases.limitBy(options.roomForDatabases);
  cells.databases.grantBy(createGrantRoom(db, chargeUsage));
  await installBuiltin(db, now());
  if (!isCluster) await giveBackRoom(db, chargeUsage);
  // What a crash kept from being removed. Another node may be at it too, or hold the database: no reason not to start.
  const removeRetired = async () => {
    for (const { id, owner_id } of await listRetiredDatabases(db)) {
      await removeDatabase({ db, cells, chargeUsage }, owner_id, id).catch((error: unknown) =>
        log.warn({ err: error, database: id }, 'a deleted database could not be removed yet'),
      );
    }
  };
  const removing = removeRetired();
  // Databases of a cluster may take a moment to be had, and no node waits for that.
  if (isCluster)
    removing.catch((error: unknown) => log.warn({ err: error }, 'deleted databases could not be listed'));
  else await removing;

  const logs = startFunctionLogs({ db, log, now, broadcast });
  cells.onDeath((id, reason) =>
    logs.system(id, deathText(reason, cells.memoryMegabytes) ?? 'The function crashed and was stopped.'),
  );
  const sealer = createSealer(options.key);
  const registry = createRegistry({ db, cells, sealer, logs, broadcast });
  const rate = { points: config.callsPerMinute, seconds: 60 };
  const message = 'Too many calls from your address.';
  const calls = new Calls({
    cells,
    registry,
    logs,
    now,
    log,
    respondToError: options.respondToError,
    identities: options.identities,
    apiLimit: limits.limit('function-calls', rate, message),
    hostLimit: limits.limit('function-host-calls', rate, message),
  });
  const routes = functionRoutes({
    calls,
    db,
    now,
    cells,
    registry,
    logs,
    sealer,
    streams: options.streams,
    chargeUsage,
    deployTurns: createDeployTurns(
      limits.limit(
        'deploys',
        { points: config.deploysPerHour, seconds: 3600 },
        `You have deployed ${config.deploysPerHour} times in the last hour, which is the limit.`,
      ),
    ),
    workerUrl: createWorkerUrl(config),
  });
  return {
    routes,
    calls,
    async sweep() {
      await deleteStatsBefore(db, now() - STATS_MS);
      if (isCluster) await removeRetired();
    },
    stop: logs.stop,
  };
}
