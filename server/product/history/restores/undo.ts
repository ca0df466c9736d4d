import type { NotRestored, Part } from '../../../../contract/pages/history/moments.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { notFound } from '../../../lib/errors.ts';
import type { PageRow, RestoreRow } from '../../../platform/storage/index.ts';
import type { HistoryContext } from '../context.ts';
import { holdClaim, LostClaim } from '../restore-store.ts';
import { type ApplicationState, parseState } from '../state.ts';
import { findMoment } from '../store.ts';
import { listLeftCollections, readPlan, restoreVersions, toNotRestored, toRequest } from './plan.ts';

type UndoneRow = RestoreRow & { undo_at: number };

interface Options {
  signal: AbortSignal;
  /** Goes on after a failure, because nobody tries again. */
  isLast: boolean;
}

/**
 * Goes back to the moment before a restore. It can be run again. It fails with the first part that cannot be brought back;
 * the last time it brings back all others, and returns those that are not as they were.
 */
export async function undoRestore(
  context: HistoryContext,
  row: UndoneRow,
  { signal, isLast }: Options,
): Promise<NotRestored[]> {
  const { db, directory, log } = context;
  const page = await directory.find(db, String(row.page_id));
  if (!page) throw notFound('This page was not found.');
  const moment = await findMoment(db, row.page_id, row.undo_at);
  const state = moment?.at === row.undo_at ? parseState(moment) : undefined;
  const left: NotRestored[] = [];
  for (const { names, run } of listSteps(context, { row, page, state, signal })) {
    signal.throwIfAborted();
    try {
      if (!state) throw new Error('the moment before the restore is no longer kept');
      await run(state);
    } catch (error) {
      if (!isLast || signal.aborted || error instanceof LostClaim) throw error;
      log.error({ err: error, page: row.page_id, names }, 'a part of a restore could not be undone');
      left.push(...names.map(([part, name]) => toNotRestored(part, name, NOT_BACK)));
    }
  }
  return left;
}

const NOT_BACK = phrase('It could not be brought back. Choose a moment and restore this part again.');

interface Step {
  /** What is not as it was if the step fails. */
  names: Array<[Part, string]>;
  run(state: ApplicationState): Promise<unknown>;
}

/** What has to be brought back: only what the restore may have changed. */
function listSteps(
  context: HistoryContext,
  given: { row: UndoneRow; page: PageRow; state: ApplicationState | undefined; signal: AbortSignal },
): Step[] {
  const { db } = context;
  const { row, page, state, signal } = given;
  const { snapshots, records } = context.parts();
  const { parts, collections } = toRequest(row);
  const plan = readPlan(row);
  const steps: Step[] = [];
  const versioned = parts.filter((part) => part === 'page' || part === 'functions');
  if (versioned.length > 0)
    steps.push({ names: versioned.map((part) => [part, '']), run: (to) => undoVersions(context, row, to) });
  for (const id of plan.replaced ?? []) {
    const isThis = ({ database }: { database: number }) => database === id;
    const copy = state?.databases.find(isThis);
    // One that was made for a function that came back was not there before.
    if (state && !copy) continue;
    const replaced = copy ?? plan.replacing.find(isThis);
    steps.push({
      names: (replaced?.functions ?? [String(id)]).map((slug) => ['databases', slug]),
      run: async () => copy && snapshots.replace(page.owner_id, id, copy.snapshot, () => holdClaim(db, row)),
    });
  }
  if (parts.includes('records'))
    steps.push({
      names: (collections ?? ['']).map((name) => ['records', name]),
      run: () =>
        records.restore(row.page_id, row.undo_at, {
          except: listLeftCollections(plan),
          ...(collections && { collections }),
          by: row.user_id,
          signal,
          admit: (tx) => holdClaim(tx, row),
        }),
    });
  return steps;
}

async function undoVersions(context: HistoryContext, row: UndoneRow, state: ApplicationState): Promise<void> {
  const { pages, functions } = context.parts();
  const page = { id: row.page_id, by: row.user_id };
  const { changedFunctions } = await context.db.transaction().execute(async (tx) => {
    await holdClaim(tx, row);
    return restoreVersions(context, tx, page, state, toRequest(row), context.chargeWithoutQuota);
  });
  pages.changed(row.page_id);
  functions.changed(changedFunctions);
}
