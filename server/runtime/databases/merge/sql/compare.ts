import type { Database } from 'bun:sqlite';
import type { RowEntry, SqlComparison, Stripped, TableComparison } from '../port.ts';
import { type CompareTask, EMPTY_COPY } from '../tasks.ts';
import { countConflicts, countDelta, countMain, makeDelta, OWN, toRowsPath } from './row-delta.ts';
import { listEntries } from './row-entries.ts';
import { readSchema, type Schema, type Side } from './schema.ts';
import { MIGRATIONS, mergeSchemas } from './schema-diff.ts';
import { describeTable, findTables, isDifferent, type TableRows, toKeyText } from './table-rows.ts';
import { Takes } from './takes.ts';
import { literal, toKey } from './words.ts';

/** Far more than anybody reads. */
const MAX_ENTRIES = 500;

export const readSchemas = (database: Database): Record<Side, Schema> => ({
  base: readSchema(database, 'base'),
  branch: readSchema(database, 'branch'),
  main: readSchema(database, 'main'),
});

/** Tables whose rows can be compared. */
export function listTables(database: Database, schemas: Record<Side, Schema>): TableRows[] {
  return findTables(schemas)
    .flatMap((tables) => describeTable(database, tables) ?? [])
    .filter(({ name }) => toKey(name) !== MIGRATIONS);
}

export function compare(database: Database, task: CompareTask): SqlComparison {
  const schemas = readSchemas(database);
  assertCopied(schemas, task.stripped);
  const { entries } = mergeSchemas(schemas, new Takes([]));
  const found = task.rows
    ? compareTables(database, listTables(database, schemas), task)
    : { tables: [], rows: [] };
  return {
    schema: entries.slice(0, MAX_ENTRIES),
    tables: found.tables.slice(0, MAX_ENTRIES),
    rows: found.rows,
    isCut: entries.length > MAX_ENTRIES || found.tables.length > MAX_ENTRIES,
  };
}

/** Throws if a copy was left empty because its rows could not be taken out. Everything would look dropped. */
export function assertCopied({ base, ...sides }: Record<Side, Schema>, stripped: Stripped): void {
  if (stripped === undefined || sides[stripped].tables.size > 0 || base.tables.size === 0) return;
  throw Object.assign(new Error('the copy has no tables'), { code: EMPTY_COPY });
}

function compareTables(database: Database, all: TableRows[], task: CompareTask) {
  const { table, offset, limit, isOwn, key } = task;
  const tables: TableComparison[] = [];
  const rows: RowEntry[] = [];
  for (const [number, each] of all.entries()) {
    if (table !== undefined && toKey(table) !== toKey(each.name)) continue;
    if (each.unmergeable !== undefined) {
      const found = compareWhole(database, each);
      if (found.isChanged.branch || found.isChanged.main) tables.push(found);
      continue;
    }
    const delta = makeDelta(database, each, number);
    const branch = countDelta(database, delta);
    const main = countMain(database, each);
    const isChanged = { branch: isAny(branch), main: isAny(main) };
    const conflicts = countConflicts(database, delta);
    if (isChanged.branch || isChanged.main)
      tables.push({ path: toRowsPath(each), name: each.name, branch, main, conflicts, isChanged });
    const wanted = limit - rows.length;
    if (wanted > 0 && isChanged.branch)
      rows.push(
        ...listEntries(database, delta, {
          ...{ offset: table === undefined ? 0 : offset, limit: wanted },
          which: [isOwn ? OWN : '1', ...(key === undefined ? [] : [isKey(each, key)])].join(' AND '),
        }),
      );
    database.run(`DROP TABLE ${delta.table}`);
  }
  return { tables, rows };
}

export function compareWhole(database: Database, rows: TableRows): TableComparison {
  const isChanged = {
    branch: isDifferent(database, rows, 'branch', 'base'),
    main: isDifferent(database, rows, 'main', 'base'),
  };
  const isConflict = isChanged.branch && isChanged.main && isDifferent(database, rows, 'branch', 'main');
  const { name, unmergeable } = rows;
  return { path: toRowsPath(rows), name, unmergeable, conflicts: isConflict ? 1 : 0, isChanged };
}

/** Whether a row of a delta has a key, as paths have it. */
const isKey = ({ key }: TableRows, wanted: string) =>
  `${toKeyText(key.map((_, index) => `k${index}`))} = ${literal(wanted)}`;

const isAny = ({ added, changed, deleted }: { added: number; changed: number; deleted: number }) =>
  added + changed + deleted > 0;
