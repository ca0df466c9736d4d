import { branchEndpoints } from '../../../../contract/pages/branches/branch-endpoints.ts';
import type { Merged } from '../../../../contract/pages/branches/merge.ts';
import { momentEndpoints } from '../../../../contract/pages/history/moment-endpoints.ts';
import { call } from '../../../api.ts';
import type { Branch } from '../api.ts';

/** The endpoints that bring a branch to its page, and the page's changes to the branch. */

export type { Merged };

/** The side that is changed. */
export type Into = 'main' | 'branch';
/** The side that counts for a path. */
export type From = 'branch' | 'main';

export interface Wish {
  take: Array<{ path: string; from: From }>;
  records: boolean;
  /** Tables whose rows are merged, such as `order/people`. */
  tables: string[];
  confirm: boolean;
}

/** A merge opens the result in a browser first, on a copy. */
const MERGE_MS = 180_000;

export function bring(
  { of, name }: Branch,
  into: Into,
  { take, ...more }: Wish,
  options: { isTrial: boolean; signal?: AbortSignal },
): Promise<Merged> {
  const given = { params: { id: of, name }, validForMs: MERGE_MS, signal: options.signal };
  const dry_run = options.isTrial;
  return into === 'main'
    ? call(branchEndpoints.mergeBranch, { ...given, body: { dry_run, take, ...more } })
    : call(branchEndpoints.updateFromMain, { ...given, body: { dry_run, take } });
}

/** Goes back to the moment before. */
export const undoMerge = (pageId: number, at: string) =>
  call(momentEndpoints.restoreMoment, { params: { id: pageId }, body: { at }, validForMs: MERGE_MS });

/** How far the merge is; undefined if none runs. */
export async function readStep(pageId: number): Promise<string | undefined> {
  const { restore } = await call(momentEndpoints.getRestore, { params: { id: pageId } });
  return restore && restore.finished_at === null ? restore.step : undefined;
}
