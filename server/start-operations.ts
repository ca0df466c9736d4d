import { Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { BLOB_KEYS } from './blob-keys.ts';
import { startHolders } from './platform/coordination/events/index.ts';
import { createHealth } from './platform/operations/health/index.ts';
import { Reports, startVitals } from './platform/operations/index.ts';
import {
  createRequestCounts,
  describeParts,
  startProcessFigures,
} from './platform/operations/metrics/index.ts';
import type { PackDatabase } from './platform/replica/index.ts';
import { isClusterKey } from './platform/service-settings/index.ts';
import { listAdministrators, readUsernames } from './product/accounts/index.ts';
import { isDailySalt } from './product/analytics/index.ts';
import { createBackups, findLastProof, findPlan } from './product/backup/index.ts';
import { listDatabaseIds } from './product/functions/index.ts';
import { toFileName } from './runtime/databases/index.ts';
import type { Platform } from './start-platform.ts';
import type { Slices } from './start-product/index.ts';

export type Operations = Awaited<ReturnType<typeof startOperations>>;

/** What the operator sees: health, metrics, backups, and which node has which databases. */
export async function startOperations(platform: Platform, slices: Slices) {
  const { config, now, redis, cells, databases } = platform;
  const reports = startReports(platform, slices);
  const backups = await startBackups(platform, reports);
  const vitals = startVitals({ dataFolder: config.dataFolder, cells: () => cells.pool.size, now });
  const lastUses = () => databases.status().lastUses;
  const holders =
    config.cluster && redis
      ? startHolders({ redis, address: config.cluster.address, lastUses, now })
      : undefined;
  const metrics = new Registry();
  const requests = createRequestCounts();
  requests.register(metrics);
  describeParts(metrics, { ...platform, ...slices, reports });
  platform.readiness.report(() => ({
    freeBytes: platform.disk.freeBytes,
    lastBackup: reports.lastBackup(),
    delayedSchedules: reports.delayedSchedules,
    clockDifferenceSeconds: platform.storage.clock.differenceMs() / 1000,
  }));
  platform.replica?.start(packFor(platform));
  const processFigures = startProcessFigures(metrics);
  return {
    backups,
    reports,
    vitals,
    holders,
    metrics,
    requests,
    health: createHealth(platform),
    async stop() {
      vitals.stop();
      processFigures.stop();
      await backups.stop();
      // Stops after the backups, whose end the reports note.
      await reports.stop();
      await holders?.stop();
    },
  };
}

/** Packs a function's database for the replica, by the name of its file. */
function packFor({ db, databases }: Platform): PackDatabase {
  return async (ownerId, file, order) => {
    const ids = await listDatabaseIds(db, ownerId);
    const id = ids.find((each) => toFileName(each) === file);
    return id === undefined ? undefined : databases.pack(ownerId, id, order);
  };
}

/** Starts backups. All nodes see those in a bucket; those in a folder are for services of one node. */
function startBackups(platform: Platform, reports: Reports) {
  const { baseUrl, config, db, mail } = platform;
  return createBackups({
    ...platform,
    files: config.s3 ? 'bucket' : 'folder',
    readUsernames: (userIds) => readUsernames(db, userIds),
    blobKeys: BLOB_KEYS,
    isLeftOut: (table, row) => isDailySalt(table, row) || isClusterKey(table, row),
    isKeyGiven: config.secret !== undefined,
    version: packageJson.version,
    onEnd: (result) => reports.noteBackup(result),
    async warn(tx, failure) {
      const message = { kind: 'backup failed', ...failure, link: `${baseUrl}/admin/backups` } as const;
      for (const { id, email } of await listAdministrators(tx))
        await mail.send(tx, { to: email, userId: id, message });
    },
  });
}

function startReports(
  { config, db, now, log, serviceSettings }: Platform,
  { functions, pageReports }: Slices,
): Reports {
  return new Reports({
    now,
    log,
    readBackups: () => serviceSettings.lastBackups(),
    saveBackups: (times) => serviceSettings.setLastBackups(times),
    readProof: () => findLastProof(db),
    // A plan stays when the schedule is turned off.
    readBackupPlan: async () => (config.backups.schedule ? findPlan(db) : undefined),
    countSchedulesDueBefore: functions.schedules.countDueBefore,
    readJobs: functions.jobs.count,
    countOpenPageReports: pageReports.countOpen,
  });
}
