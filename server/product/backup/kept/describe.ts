import type { Backup, BackupProof } from '../../../../contract/admin/backups.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { readName, SCHEDULE_ID } from './names.ts';
import type { RunRow } from './store.ts';

/** Backups as administrators see them. */

export const STOPPED = 'The server stopped before it was complete.';

type Described = Omit<Backup, 'state' | 'bytes' | 'problem'>;

function describeName(name: string): Described {
  const facts = readName(name);
  return {
    name,
    createdAt: toTimestamp(facts?.startedAt ?? 0),
    madeBy: null,
    isScheduled: facts?.userId === SCHEDULE_ID,
    isEncrypted: facts?.isEncrypted ?? false,
    proof: null,
  };
}

export function describeStarted(name: string): Backup {
  return { ...describeName(name), state: 'running', bytes: 0, problem: null };
}

export function describeKept(name: string, bytes: number, proof: BackupProof | null): Backup {
  return { ...describeName(name), state: 'complete', bytes, problem: null, proof };
}

/** The backup that is being made, or that failed. If its node has not reported since `silentSince`, it failed. */
export function describeRun(run: RunRow, silentSince: number): Backup {
  const problem = run.problem ?? (run.seen_at < silentSince ? STOPPED : null);
  const state = problem === null ? 'running' : 'failed';
  return { ...describeName(run.name), state, bytes: run.bytes, problem };
}
