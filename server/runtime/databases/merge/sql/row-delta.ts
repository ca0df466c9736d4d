import type { Database } from 'bun:sqlite';
import type { RowCounts } from '../port.ts';
import type { Side } from './schema.ts';
import { toPath } from './schema-diff.ts';
import {
  hasChanged,
  isMissing,
  isSameKey,
  type TableRows,
  toKeyColumns,
  toKeyText,
  toSource,
  toValue,
} from './table-rows.ts';
import type { Takes } from './takes.ts';
import { anyOf, differ } from './words.ts';

/** What the branch did with the rows of a table, where main differs from it, as a table of its own: `work.delta_<n>`. */

/** What a merge does with a row. */
const STATES = { nothing: 0, apply: 1, conflict: 2, takeBranch: 3 } as const;
export const { conflict: CONFLICT } = STATES;
/** Rows that a merge writes. */
export const WRITTEN = `state IN (${STATES.apply}, ${STATES.takeBranch})`;

/** Rows that main has not changed too. */
export const OWN = "(main = 'same' OR (main = 'none' AND kind = 'added'))";

export interface Delta {
  rows: TableRows;
  /** Its name, with that of its database. */
  table: string;
}

const { nothing, apply, conflict, takeBranch } = STATES;

export function makeDelta(database: Database, rows: TableRows, number: number): Delta {
  const table = `work.delta_${number}`;
  const keys = rows.key.map((_, index) => `k${index}`);
  database.run(`CREATE TABLE ${table} (ord INTEGER PRIMARY KEY, kind, state, main, ${keys.join(', ')})`);
  const from = (first: Side, second: Side) => `${toSource(rows, first)}
    LEFT JOIN ${toSource(rows, second)} ON ${isSameKey(rows, second, first)}
    LEFT JOIN ${toSource(rows, 'main')} ON ${isSameKey(rows, 'main', first)}`;
  const into = `INSERT INTO ${table} (kind, state, main, ${keys.join(', ')})`;
  const isChanged = hasChanged(rows, 'main', 'base');
  if (rows.tables.branch)
    database.run(`${into} SELECT iif(${isMissing(rows, 'base')}, 'added', 'changed'), ${toState(rows)},
      CASE WHEN ${isMissing(rows, 'main')} THEN 'none' ELSE iif(${isMissing(rows, 'base')} OR ${isChanged}, 'changed', 'same') END,
      ${toKeyColumns(rows, 'branch').join(', ')} FROM ${from('branch', 'base')}
      WHERE (${isMissing(rows, 'base')} OR ${hasChanged(rows, 'branch', 'base')})
        AND (${isMissing(rows, 'main')} OR ${hasChanged(rows, 'branch', 'main')})`);
  if (rows.tables.base)
    database.run(`${into} SELECT 'deleted', iif(${isChanged}, ${conflict}, ${apply}), iif(${isChanged}, 'changed', 'same'),
      ${toKeyColumns(rows, 'base').join(', ')} FROM ${from('base', 'branch')}
      WHERE ${isMissing(rows, 'branch')} AND NOT ${isMissing(rows, 'main')}`);
  return { rows, table };
}

/** What a merge does with a row that the branch has added or changed. */
function toState(rows: TableRows): string {
  const value = (side: Side, column: string) => toValue(rows, side, column);
  const isBoth = rows.columns.map((column) => {
    const [base, branch, main] = [value('base', column), value('branch', column), value('main', column)];
    return `(${differ(branch, base)} AND ${differ(main, base)} AND ${differ(branch, main)})`;
  });
  return `CASE
    WHEN ${isMissing(rows, 'base')} THEN CASE WHEN ${isMissing(rows, 'main')} THEN ${apply}
      WHEN ${hasChanged(rows, 'branch', 'main')} THEN ${conflict} ELSE ${nothing} END
    WHEN ${isMissing(rows, 'main')} THEN ${conflict}
    WHEN ${anyOf(isBoth)} THEN ${conflict}
    WHEN ${anyOf(rows.columns.map((column) => `${differ(value('branch', column), value('base', column))} AND ${differ(value('branch', column), value('main', column))}`))}
    THEN ${apply} ELSE ${nothing} END`;
}

export const toRowsPath = ({ name }: TableRows) => toPath('rows', name);

/** Decides conflicts as people have said. */
export function decideRows(database: Database, { rows, table }: Delta, takes: Takes): void {
  const path = toRowsPath(rows);
  const all = takes.find(path, true);
  const each = takes.listBelow(path);
  if (each.length > 0) {
    database.run('CREATE TABLE IF NOT EXISTS work.takes (key PRIMARY KEY, side)');
    database.run('DELETE FROM work.takes');
    const insert = database.prepare('INSERT OR REPLACE INTO work.takes VALUES (?, ?)');
    for (const { name, from } of each) insert.run(decodePart(name), from);
    const key = toKeyText(rows.key.map((_, index) => `delta.k${index}`));
    database.run(`UPDATE ${table} AS delta SET state = iif(takes.side = 'main', ${nothing}, iif(state = ${conflict}, ${takeBranch}, state))
      FROM work.takes WHERE takes.key = ${key}`);
  }
  if (all !== undefined)
    database.run(
      `UPDATE ${table} SET state = ${all === 'main' ? nothing : takeBranch} WHERE state = ${conflict}`,
    );
}

function decodePart(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** How many rows of each kind there are. */
export function countDelta(database: Database, { table }: Delta, which = '1'): RowCounts {
  const found = database
    .prepare(`SELECT kind, count(*) AS count FROM ${table} WHERE ${which} GROUP BY kind`)
    .all() as Array<{ kind: keyof RowCounts; count: number }>;
  const counts: RowCounts = { added: 0, changed: 0, deleted: 0 };
  for (const { kind, count } of found) counts[kind] = count;
  return counts;
}

export function countConflicts(database: Database, { table }: Delta): number {
  const { count } = database
    .prepare(`SELECT count(*) AS count FROM ${table} WHERE state = ${CONFLICT}`)
    .get() as { count: number };
  return count;
}

/** What main did, where the branch differs from it. */
export function countMain(database: Database, rows: TableRows): RowCounts {
  const isNew = isMissing(rows, 'base');
  const { added, changed } = database
    .prepare(`SELECT count(*) FILTER (WHERE ${isNew}) AS added, count(*) FILTER (WHERE NOT ${isNew}) AS changed
      FROM ${toSource(rows, 'main')} LEFT JOIN ${toSource(rows, 'base')} ON ${isSameKey(rows, 'base', 'main')}
      LEFT JOIN ${toSource(rows, 'branch')} ON ${isSameKey(rows, 'branch', 'main')}
      WHERE (${isNew} OR ${hasChanged(rows, 'main', 'base')})
        AND (${isMissing(rows, 'branch')} OR ${hasChanged(rows, 'branch', 'main')})`)
    .get() as { added: number; changed: number };
  const { deleted } = database
    .prepare(`SELECT count(*) AS deleted FROM ${toSource(rows, 'base')}
      LEFT JOIN ${toSource(rows, 'main')} ON ${isSameKey(rows, 'main', 'base')}
      LEFT JOIN ${toSource(rows, 'branch')} ON ${isSameKey(rows, 'branch', 'base')}
      WHERE ${isMissing(rows, 'main')} AND NOT ${isMissing(rows, 'branch')}`)
    .get() as { deleted: number };
  return { added, changed, deleted };
}
