import { ENGLISH, phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../../lib/errors.ts';
import {
  DatabaseMergeError,
  type OpenConflict,
  type SqlTrial,
  UnreadableDatabaseError,
} from '../../../../runtime/databases/index.ts';
import type { FunctionContent } from '../../../merge-ports.ts';
import type { BranchesContext } from '../../context.ts';
import type { Pair } from '../sides.ts';
import { asTheyAre, type DatabasePair, type FoundDatabases, findStripped, hasRows, swapped } from './find.ts';
import { assertTables, bringsMigrations, type DatabaseWish, toOrder } from './wish.ts';

/** What a merge would do with the databases. */

/** A conflict of a database, from the side that is changed. */
export interface DatabaseConflict {
  pair: DatabasePair;
  into: 'branch' | 'main';
  open: OpenConflict;
}

export interface DatabaseSum {
  conflicts: DatabaseConflict[];
  conflictCount: number;
  /** Paths of what is removed. */
  drops: string[];
  /** What would break. Nothing is merged until it is mended. */
  problems: Text[];
  /** Tables that get another schema. */
  tables: number;
  rows: { created: number; updated: number; deleted: number };
  leftOut: Text[];
  /** Whether a database changes. */
  isChanged: boolean;
}

export async function tryDatabases(
  context: BranchesContext,
  pair: Pair,
  found: FoundDatabases,
  wish: DatabaseWish & { functions: Record<'wanted' | 'current', ReadonlyMap<string, FunctionContent>> },
): Promise<DatabaseSum> {
  const { into } = wish;
  const stripped = findStripped(pair, into);
  const asked = hasRows(pair) ? wish.tables : [];
  const leftOut = [...found.leftOut];
  const problems: Text[] = [];
  const trials: Array<{ pair: DatabasePair; trial: SqlTrial }> = [];
  for (const each of found.pairs) {
    const order = { ...toOrder(each, { ...wish, tables: asked }, wish.functions.wanted), stripped };
    const files = asTheyAre(pair, each);
    const trial = await orLeftOut(each, () =>
      context.databaseMerger.tryOut(into === 'main' ? files : swapped(files), order),
    );
    if ('isMerged' in trial) trials.push({ pair: each, trial });
    else (bringsMigrations(each, wish.functions) ? problems : leftOut).push(trial);
  }
  if (asked !== 'all') assertTables(asked, trials);
  const sum = sumUp(trials, into);
  return { ...sum, problems: [...problems, ...sum.problems], leftOut };
}

/** The result, or the sentence that says why a database stays as it is. */
export async function orLeftOut<T>({ name }: DatabasePair, run: () => Promise<T>): Promise<T | Text> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DatabaseMergeError) && !(error instanceof UnreadableDatabaseError)) throw error;
    return phrase('The database of {name} is not compared or merged: {message}', {
      name,
      message: error.message.slice(0, 300).toWellFormed(),
    });
  }
}

/** The error if databases cannot be merged, or would lose what nobody has confirmed. */
export function refuseDatabases(problems: readonly Text[], drops: readonly string[]): AppError | undefined {
  const said = problems.map(({ text, values = {} }) => ENGLISH.say(text, values));
  if (said[0] !== undefined)
    return new AppError(
      'CONFLICT',
      'The databases cannot be merged, so nothing was: {problem}',
      { problem: said[0] },
      { body: { problems: said } },
    );
  if (drops[0] === undefined) return undefined;
  return new AppError(
    'CONFLICT',
    'The merge removes {count|a column or table|{count} columns and tables} with what is in them, such as {path}. Send confirm, or take each path from main.',
    { count: drops.length, path: drops[0] },
    { body: { needs_confirm: [...drops] } },
  );
}

function sumUp(
  trials: ReadonlyArray<{ pair: DatabasePair; trial: SqlTrial }>,
  into: 'branch' | 'main',
): Omit<DatabaseSum, 'leftOut'> {
  const rows = { created: 0, updated: 0, deleted: 0 };
  const sum = { conflictCount: 0, tables: 0, isChanged: false };
  const lists = { conflicts: [] as DatabaseConflict[], drops: [] as string[], problems: [] as Text[] };
  for (const { pair, trial } of trials) {
    sum.tables += trial.altered;
    for (const { added, changed, deleted } of trial.tables) {
      rows.created += added;
      rows.updated += changed;
      rows.deleted += deleted;
    }
    lists.drops.push(...trial.drops.map((path) => `databases/${pair.name}/${path}`));
    if (trial.isMerged) {
      sum.isChanged ||= !trial.isSame;
      continue;
    }
    sum.isChanged = true;
    sum.conflictCount += trial.conflictCount;
    lists.conflicts.push(...trial.conflicts.map((open) => ({ pair, into, open })));
    lists.problems.push(...trial.violations);
  }
  return { ...sum, ...lists, rows };
}
