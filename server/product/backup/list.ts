import type { Backup, BackupList, BackupProof } from '../../../contract/admin/backups.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Log } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { findLastProof, listProofs, type ProofRow } from './drill/store.ts';
import { describeKept, describeRun } from './kept/describe.ts';
import { describeProblem, SILENT_MS } from './kept/kept-backups.ts';
import { newestFirst, readName } from './kept/names.ts';
import type { BackupPlace } from './kept/place.ts';
import type { KeepBackups } from './kept/retention.ts';
import { findRun } from './kept/store.ts';

interface ListOptions {
  place: BackupPlace;
  db: Db;
  log: Log;
  now: () => number;
  keep: KeepBackups;
  isEncrypted: boolean;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** What is planned; null without a schedule. */
  readSchedule(): Promise<BackupList['schedule']>;
  /** Whether a backup of this time is older than the schedule allows. */
  isLate(newestAt: number | undefined): Promise<boolean>;
}

/** Everything about the backups that the server keeps. */
export async function listBackups(options: ListOptions): Promise<BackupList> {
  const { db, keep, place } = options;
  // Read the run before the list, so that a backup that becomes complete meanwhile is in at least one of them.
  const run = await findRun(db);
  const { kept, placeProblem } = await listPlace(options);
  const proofs = new Map((await listProofs(db)).map((row) => [row.name, describeProof(row)]));
  const shownRun = run && describeRun(run, options.now() - SILENT_MS);
  const isLeftOver = shownRun?.state === 'failed' && kept.some(({ name }) => name === shownRun.name);
  const isShown = shownRun && !isLeftOver;
  const complete = kept
    .filter(({ name }) => !isShown || name !== shownRun.name)
    .map(({ name, bytes }) => describeKept(name, bytes, proofs.get(name) ?? null));
  const backups = newestFirst([...(isShown ? [shownRun] : []), ...complete], options.now());
  const lastProof = await findLastProof(db);
  return {
    backups: await withNames(backups, options.readUsernames),
    maxBackups: keep.count,
    maxDays: keep.days ?? null,
    place: place.title,
    isBucket: place.isBucket,
    placeProblem,
    isEncrypted: options.isEncrypted,
    schedule: await options.readSchedule(),
    isLate: placeProblem === null && (await options.isLate(newestTime(backups))),
    lastProof: lastProof ? describeProof(lastProof) : null,
  };
}

/** If a bucket or a disk does not answer, administrators still see the rest. */
async function listPlace({ place, log }: ListOptions) {
  try {
    return { kept: await place.list(), placeProblem: null };
  } catch (error) {
    log.warn({ err: error }, 'backups could not be listed');
    return { kept: [], placeProblem: describeProblem(error) };
  }
}

async function withNames(backups: Backup[], readUsernames: ListOptions['readUsernames']): Promise<Backup[]> {
  const toUserId = (name: string) => readName(name)?.userId ?? 0;
  const users = await readUsernames(backups.map(({ name }) => toUserId(name)));
  return backups.map((each) => ({ ...each, madeBy: users.get(toUserId(each.name)) ?? null }));
}

function newestTime(backups: Backup[]): number | undefined {
  const newest = backups.find(({ state }) => state === 'complete');
  return newest && Date.parse(newest.createdAt);
}

function describeProof({ name, at, duration_ms, problem }: ProofRow): BackupProof {
  return { name, provenAt: toTimestamp(at), seconds: Math.round(duration_ms / 1000), problem };
}
