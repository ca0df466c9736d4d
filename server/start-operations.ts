import { join } from 'node:path';
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
import { readUsernames } from './product/accounts/index.ts';
import { isDailySalt } from './product/analytics/index.ts';
import { bucketPlace, createBackups, diskPlace } from './product/backup/index.ts';
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

/** Starts backups. All nodes see those in a bucket; those in a folder are for services of one node. */
function startBackups(platform: Platform, reports: Reports) {
  const { config, db } = platform;
  return createBackups({
    ...platform,
    files: config.s3 ? 'bucket' : 'folder',
    place: config.s3 ? bucketPlace(config.s3) : diskPlace(join(config.dataFolder, 'backups')),
    readUsernames: (userIds) => readUsernames(db, userIds),
    blobKeys: BLOB_KEYS,
    isLeftOut: isDailySalt,
    isKeyGiven: config.secret !== undefined,
    version: packageJson.version,
    onEnd: (result) => reports.noteBackup(result),
  });
}

function startReports({ now, log, serviceSettings }: Platform, { functions }: Slices): Reports {
  return new Reports({
    now,
    log,
    readBackups: () => serviceSettings.lastBackups(),
    saveBackups: (times) => serviceSettings.setLastBackups(times),
    countSchedulesDueBefore: functions.schedules.countDueBefore,
  });
}
