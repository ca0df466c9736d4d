import type { S3Settings } from '../../platform/blobs/index.ts';
import type { Log, Route } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { createEncrypt } from './age/encrypt.ts';
import { createArchives } from './archives.ts';
import { Drills } from './drill/drills.ts';
import { listProofs } from './drill/store.ts';
import { KeptBackups } from './kept/kept-backups.ts';
import { SCHEDULE_ID } from './kept/names.ts';
import { openPlace } from './kept/open-place.ts';
import type { KeepBackups } from './kept/retention.ts';
import { downloadRoute, keptBackupRoutes } from './kept/routes.ts';
import { listBackups } from './list.ts';
import type { BackupContext } from './make.ts';
import { BackupSchedule } from './schedule/backup-schedule.ts';
import { BackupSettingError } from './setting-error.ts';

/** Opens archives that are encrypted with age. */
export { decryptArchive, readIdentities } from './age/decrypt.ts';
export { createEncrypt, type Encrypt } from './age/encrypt.ts';
/** Thrown if an archive is not accepted. The message says why. */
export { ArchiveError, KeyError } from './archive/archive-error.ts';
/** The first entry of an archive: what made it, and what is needed to read it. */
export type { Manifest } from './archive/manifest.ts';
/** Makes archives, one at a time. */
export { createArchives } from './archives.ts';
/** Reads an archive to its end and says what it contains, or what is wrong with it. */
export { type ArchiveContents, checkArchive } from './check.ts';
/** Compares the restored data with the archive. */
export { type Compared, compareRestored } from './compare.ts';
/** Proves that an archive can be restored. */
export { type Proven, proveArchive } from './drill/prove.ts';
export { type Drill, drillBackup, findNewest } from './drill/run-drill.ts';
export { findLastProof, saveProof } from './drill/store.ts';
/** The empty folder that a restore fills. */
export { assertEmptyFolder, unfinished } from './empty-place.ts';
/** Where the server keeps backups: in a folder, or in a bucket that all nodes share. */
export { bucketPlace } from './kept/bucket.ts';
export { diskPlace } from './kept/disk.ts';
export { openPlace } from './kept/open-place.ts';
/** Restores an archive into an empty place. */
export { type JoinCluster, type Restored, restoreArchive } from './restore.ts';
/** How the last backups of the schedule went. */
export { findPlan } from './schedule/store.ts';
/** Thrown if a setting of backups is wrong. */
export { BackupSettingError } from './setting-error.ts';

/** Backups of everything, taken while the service runs. */
export interface Backups {
  routes: Route[];
  /** Starts a backup, one at a time. Its temporary files are removed when it has been read or aborted. */
  start(): ReadableStream<Uint8Array>;
  /** Starts no more backups by itself, so that other nodes can. */
  drain(): void;
  /** Aborts the running backup. */
  stop(): Promise<void>;
}

/** The part of the settings that backups need. */
interface BackupSettings {
  dataFolder: string;
  s3: S3Settings | undefined;
  secret: string | undefined;
  backups: {
    schedule: string | undefined;
    keep: KeepBackups;
    recipients: string[];
    folder: string | undefined;
  };
}

interface BackupsOptions extends BackupContext {
  log: Log;
  db: Db;
  config: BackupSettings;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** Tells administrators that scheduled backups have begun to fail. */
  warn(tx: Tx, failure: { at: number; problem: string; nextAt: number }): Promise<void>;
}

export async function createBackups(options: BackupsOptions): Promise<Backups> {
  const { log, db, config, readUsernames, warn, ...context } = options;
  const { now, onEnd, storage } = context;
  const { schedule: cron, keep, recipients } = config.backups;
  const encrypt = await createEncrypt(recipients).catch(mistyped);
  const place = openPlace(config);
  const archives = createArchives({ ...context, log });
  const kept = new KeptBackups({
    ...{ place, db, log, now, keep, encrypt, onEnd },
    isAlone: storage.engine === 'sqlite',
    listBad: () => listBad(db),
    start: () => archives.start({ onEnd: () => undefined }),
  });
  // A place that does not answer must not keep the service from starting.
  await place
    .recover()
    .catch((error: unknown) => log.warn({ err: error }, 'remains of backups are left over'));
  const wasLost = await kept.endLost({ isStart: true });
  const drills = new Drills({ db, log, now, secret: config.secret, settings: toPlaceSettings(config) });
  const planning = {
    begin: () => kept.begin(SCHEDULE_ID),
    endLost: () => kept.endLost(),
    prove: (name: string) => drills.prove(name),
  };
  const schedule = cron
    ? await BackupSchedule.start({ ...planning, cron, db, now, log, warn, wasLost })
    : undefined;
  const list = () =>
    listBackups({
      ...{ place, db, log, now, keep, readUsernames, isEncrypted: encrypt !== undefined },
      readSchedule: async () => schedule?.read() ?? null,
      isLate: async (newestAt) => schedule?.isLate(newestAt) ?? false,
    });
  const start = () => archives.start();
  return {
    start,
    routes: [downloadRoute({ db, kept, encrypt, start }), ...keptBackupRoutes(kept, list)],
    drain: () => schedule?.drain(),
    async stop() {
      schedule?.drain();
      const stopped = kept.stop();
      await archives.stop();
      await stopped;
      await drills.stop();
      await schedule?.stop();
    },
  };
}

function mistyped(cause: unknown): never {
  throw new BackupSettingError('QUIRE_BACKUP_KEY', 'is mistyped. Copy it from the output of age-keygen', {
    cause,
  });
}

/** The backups that a drill could not restore. */
async function listBad(db: Db): Promise<Set<string>> {
  const bad = (await listProofs(db)).filter(({ problem }) => problem !== null);
  return new Set(bad.map(({ name }) => name));
}

/** Only what a drill needs: its process gets this. */
const toPlaceSettings = ({ dataFolder, s3, backups }: BackupSettings) => ({
  dataFolder,
  s3,
  backups: { folder: backups.folder },
});
