import type {
  MergeBranch,
  Merged,
  Rehearsal,
  UpdateFromMain,
} from '../../../../contract/pages/branches/merge.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { BranchRow } from '../../../platform/storage/index.ts';
import { assertOn } from '../make.ts';
import { assertReady, conflictError } from './conflicts.ts';
import { refuseDatabases } from './databases/trial.ts';
import { listGivenUp } from './given-up.ts';
import type { MergeOrder } from './merging.ts';
import { describe, type Into, preview, type Wish } from './preview.ts';
import { type MergeContext, rehearse } from './rehearse.ts';
import { findPair } from './sides.ts';
import { Taken } from './taken.ts';

/** Brings the changes of a branch to its page. */
export function mergeBranch(
  context: MergeContext,
  actor: Actor,
  row: BranchRow,
  body: MergeBranch,
): Promise<Merged> {
  return run(context, actor, row, { ...body, into: 'main', tables: body.tables ?? [] });
}

/** Brings the changes of a page to a branch. Records and rows come along, if the branch has those of the page. */
export function updateFromMain(
  context: MergeContext,
  actor: Actor,
  row: BranchRow,
  body: UpdateFromMain,
): Promise<Merged> {
  const hasData = row.data === 'all';
  return run(context, actor, row, {
    ...{ ...body, into: 'branch', records: hasData, tables: hasData ? 'all' : [] },
    // What the page no longer has is removed: the branch is a copy, and an update can be undone.
    confirm: true,
  });
}

async function run(
  context: MergeContext,
  actor: Actor,
  row: BranchRow,
  wish: Wish & { into: Into },
): Promise<Merged> {
  assertOn(context);
  assertReady(row);
  const pair = await findPair(context, row);
  const { into, take = [], dry_run } = wish;
  if (into === 'main')
    for (const page of [pair.main, pair.branch]) context.directory.assertNotTakenDown(page, actor);
  const found = await preview(context, pair, { ...wish, take });
  if (dry_run) return describe(context, pair, found, wish);
  if (found.count > 0) throw await conflictError(found.conflicts, found.count);
  const { problems, drops } = found.databases;
  const refusal = refuseDatabases(problems, wish.confirm ? [] : drops);
  if (refusal) throw refusal;
  const result = await describe(context, pair, found, wish);
  const source = pair[into === 'main' ? 'branch' : 'main'];
  const from = await context.moments.keep(source.id, {
    kind: 'branch',
    by: actor.userId,
    text: phrase('Kept to merge the branch “{name}”.', { name: row.name }),
  });
  if (from === undefined) throw notFound('This page was not found.');
  const rehearsal = into === 'main' ? await rehearse(context, actor, pair, { found, wish, from }) : null;
  if (rehearsal && pair.main.attack_first === 1) assertNotSerious(rehearsal);
  if (rehearsal?.ok === false && !wish.confirm) throw failedRehearsal(rehearsal);
  const { bases } = pair;
  const order: MergeOrder = {
    ...{ branch: row.page_id, into, from, bases, take, records: found.withRecords },
    ...{ tables: wish.tables, confirm: wish.confirm },
    givenUp: listGivenUp(found.differences, new Taken(take), into),
  };
  const { changes, undo } = await context.moments.merge(pair[into], order, actor.userId);
  if (into === 'main') context.attacks.afterPublishing(pair.main, actor);
  return { ...result, rehearsal, version: changes.page_version ?? null, undo: toTimestamp(undo) };
}

const failedRehearsal = (rehearsal: Rehearsal) =>
  new AppError(
    'CONFLICT',
    'A copy of the page did not work with these changes, so nothing was merged: {problem} Mend the branch, or merge with confirm.',
    { problem: rehearsal.problems[0]?.text ?? '' },
    { body: { rehearsal: { ...rehearsal, ok: false } } },
  );

/** The owner of the page wants nothing merged that is serious, whatever else is confirmed. */
function assertNotSerious(rehearsal: Rehearsal): void {
  const { serious } = rehearsal;
  if (serious === null)
    throw new AppError(
      'UNAVAILABLE',
      'A copy with these changes could not be attacked now, so nothing was merged. Try again in a minute.',
    );
  const [first] = serious;
  if (!first) return;
  throw new AppError(
    'CONFLICT',
    'An attack on a copy with these changes found something serious, so nothing was merged: {title}. Change the branch, or turn this off in the settings of the page.',
    { title: first.text },
    { body: { rehearsal: { ...rehearsal, ok: false } } },
  );
}
