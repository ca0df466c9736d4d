import {
  CHANGE_TEXT_IN_LIST,
  CHANGE_TEXT_MAX,
  type Change,
  type ChangeContent,
} from '../../../../contract/pages/branches/changes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { BranchRow } from '../../../platform/storage/index.ts';
import type { StoredRecord } from '../context.ts';
import type { Difference } from './compare.ts';
import { toEntryChange } from './databases/show.ts';
import type { DatabaseConflict } from './databases/trial.ts';
import { type Leaf, toJson } from './leaves.ts';
import type { RecordDifference } from './records.ts';

/** Changes as clients see them. */

/** Conflicts in one response. */
export const MAX_CONFLICTS = 50;

export type Conflict = Difference | RecordDifference | DatabaseConflict;

export async function toChange(difference: Conflict, isWhole = false): Promise<Change> {
  const letters = isWhole ? CHANGE_TEXT_MAX : CHANGE_TEXT_IN_LIST;
  if ('open' in difference) {
    const { pair, open, into } = difference;
    return toEntryChange(pair, open, into === 'main' ? 'branch' : 'main');
  }
  return 'kind' in difference ? toPart(difference, letters) : toRecordChange(difference, letters);
}

async function toPart(difference: Difference, letters: number): Promise<Change> {
  const { path, kind, action, side, conflict, fields, merged } = difference;
  const show = async (leaf: Leaf | undefined) =>
    leaf ? cutText(await leaf.read(), leaf.size, letters) : null;
  return {
    ...{ path, kind, action, side, conflict, needs_confirm: false },
    ...(fields && { fields }),
    base: await show(difference.base),
    branch: await show(difference.branch),
    main: await show(difference.main),
    merged: merged === undefined ? null : cutText(merged, Buffer.byteLength(merged), letters),
  };
}

async function toRecordChange(record: RecordDifference, letters: number): Promise<Change> {
  const { path, action, side, conflict, fields, merged } = record;
  const show = (row: StoredRecord | undefined) =>
    row ? cutText(toJson(JSON.parse(row.text)), row.size, letters) : null;
  return {
    ...{ path, kind: 'record', action, side, conflict, needs_confirm: false, fields },
    ...{ base: show(record.base), branch: show(record.branch), main: show(record.main) },
    merged: merged === undefined ? null : cutText(toJson(merged), Buffer.byteLength(toJson(merged)), letters),
  };
}

export function cutText(text: string | undefined, bytes: number, letters: number): ChangeContent {
  if (text === undefined) return { text: null, bytes, truncated: false };
  const truncated = text.length > letters;
  return { text: truncated ? text.slice(0, letters).toWellFormed() : text, bytes, truncated };
}

/** Nothing is merged until somebody has decided each conflict. */
export async function conflictError(differences: readonly Conflict[], count: number): Promise<AppError> {
  const conflicts = await Promise.all(differences.slice(0, MAX_CONFLICTS).map((each) => toChange(each)));
  return new AppError(
    'CONFLICT',
    '{count|1 part was|{count} parts were} changed on the branch and on its page in different ways, such as {path}. Decide each with take.',
    { count, path: conflicts[0]?.path ?? '' },
    { body: { conflicts, conflict_count: count } },
  );
}

/** Decisions count for what people have seen. */
export async function changedMeanwhile(differences: readonly Difference[]): Promise<AppError> {
  const conflicts = await Promise.all(differences.slice(0, MAX_CONFLICTS).map((each) => toChange(each)));
  return new AppError(
    'CONFLICT',
    'Somebody has changed {path} meanwhile, so nothing was merged. Look at the changes, and decide again.',
    { path: conflicts[0]?.path ?? '' },
    { body: { conflicts, conflict_count: differences.length } },
  );
}

/** Until a branch is ready, it lacks what would look deleted. */
export function assertReady({ step }: Pick<BranchRow, 'step'>): void {
  if (step === 'ready') return;
  throw new AppError(
    'UNAVAILABLE',
    'This branch is being made: its records and databases are not all there yet. Try again in a few seconds.',
    {},
    { headers: { 'retry-after': '3' } },
  );
}
