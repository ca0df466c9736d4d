import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { saySize } from '../../../cli/terminal/amounts.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import { readConfig } from '../../platform/config/index.ts';
import {
  LATE_SECONDS,
  listGenerations,
  openDestination,
  type ReplicaState,
  readAge,
  readSpan,
  STATE_FILE,
  sayPlace,
  sayTime,
} from '../../platform/replica/index.ts';

/** A server that runs writes its state more often than this. */
const SILENT_MS = 90_000;

/** `quire replica status`: what the replica has, and what it lacks. Exits with 1 if it is behind. */
export async function replicaStatus(call: Call): Promise<void> {
  const { environment, out } = call;
  const { replica, dataFolder } = readConfig(environment);
  if (!replica)
    throw new CommandError('QUIRE_REPLICA is not set, so there is no replica of this server.', EXIT.notFound);
  const destination = openDestination(replica);
  const state = readState(dataFolder);
  const found = await readReplica(destination).catch((error: Error) => ({ problem: error.message }));
  const now = Date.now();
  const isRunning = state !== undefined && state.status !== 'stopped' && now - state.checkedAt < SILENT_MS;
  const age = state && readAge(state, now);
  const problem = 'problem' in found ? found.problem : (isRunning && state.problem) || null;
  const isLate = isRunning && (age === undefined || age > LATE_SECONDS);
  const span = 'span' in found ? found.span : undefined;
  const report = {
    replica: sayPlace(replica),
    status: isRunning ? state.status : 'not running',
    problem,
    ageSeconds: isRunning ? (age ?? null) : null,
    oldest: span ? sayTime(span.oldestAt) : null,
    newest: span ? sayTime(span.newestAt) : null,
    generations: 'generations' in found ? found.generations : null,
    generation: state?.generation ?? null,
    segments: state?.segments ?? null,
    bytes: state?.bytes ?? null,
    behindBytes: isRunning ? state.behindBytes : null,
    waiting: isRunning ? state.waiting : null,
  };
  out.result(report, describe(report, isLate));
  if (problem !== null || isLate) call.exitWith(EXIT.failed);
}

async function readReplica(destination: ReturnType<typeof openDestination>) {
  return { span: await readSpan(destination), generations: (await listGenerations(destination)).length };
}

function readState(dataFolder: string): ReplicaState | undefined {
  const path = join(dataFolder, STATE_FILE);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

interface Report {
  replica: string;
  status: string;
  problem: string | null;
  ageSeconds: number | null;
  oldest: string | null;
  newest: string | null;
  generation: string | null;
  segments: number | null;
  bytes: number | null;
  behindBytes: number | null;
  waiting: { files: number; databases: number } | null;
}

function describe(report: Report, isLate: boolean): string {
  const { ageSeconds, bytes, segments, waiting } = report;
  const rows: Array<[string, string | null]> = [
    ['replica', report.replica],
    ['status', `${report.status}${isLate ? ' (behind)' : ''}`],
    ['problem', report.problem],
    ['age', ageSeconds === null ? null : `${ageSeconds.toFixed(1)} s`],
    ['behind', report.behindBytes === null ? null : `${saySize(report.behindBytes)} of the log`],
    ['waiting', waiting && `${waiting.files} files, ${waiting.databases} databases of functions`],
    ['oldest time', report.oldest ?? 'none'],
    ['newest time', report.newest ?? 'none'],
    ['generation', report.generation && `${report.generation}, ${segments} segments, ${saySize(bytes ?? 0)}`],
  ];
  return rows.flatMap(([name, value]) => (value ? [`${name.padEnd(13)} ${value}`] : [])).join('\n');
}
