import type { Change, ChangesQuery } from '../../../../../contract/pages/branches/changes.ts';
import { phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
import type { RowEntry, SqlComparison, TableComparison } from '../../../../runtime/databases/index.ts';
import type { BranchesContext } from '../../context.ts';
import type { Pair } from '../sides.ts';
import { asTheyAre, type DatabasePair, type FoundDatabases, findStripped, hasRows, swapped } from './find.ts';
import { toEntryChange } from './show.ts';
import { orLeftOut } from './trial.ts';

/** Lists what differs between the databases of a branch and its page. */

/** Where the list goes on, and what it keeps. */
export interface DatabaseList {
  query: ChangesQuery;
  count(kind: 'table' | 'row', name: string, counts: Counts): void;
  /** How many more changes are listed. */
  remaining(): number;
  keep(change: Change, cursor: string): void;
  /** There is more than is listed. */
  cut(): void;
}

export interface Counts {
  branch: number;
  main: number;
  conflicts: number;
}

/** Rows at a time. A comparison gives no more. */
const AT_ONCE = 200;

export async function listDatabases(
  context: BranchesContext,
  pair: Pair,
  { pairs, leftOut }: FoundDatabases,
  list: DatabaseList,
): Promise<Text[]> {
  const said = [...leftOut];
  const from = new Position(list.query.after);
  for (const each of pairs) {
    const files = asTheyAre(pair, each);
    const options = { rows: hasRows(pair), limit: AT_ONCE, stripped: findStripped(pair, 'main') };
    const found = await orLeftOut(each, () => context.databaseMerger.compare(files, options));
    if ('text' in found) {
      said.push(found);
      continue;
    }
    if (found.isCut) said.push(cutShort(each.name));
    listSchema(each, found, list, from);
    for (const table of [...found.tables].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const rows = found.rows.filter((row) => row.table === table.name);
      await listRows(context, { pair, database: each, table, rows }, list, from);
    }
  }
  return said;
}

const cutShort = (name: string) =>
  phrase('More has changed in the database of {name} than is listed here.', { name });

function listSchema(database: DatabasePair, { schema }: SqlComparison, list: DatabaseList, from: Position) {
  const prefix = `databases/${database.name}/`;
  for (const entry of [...schema].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const change = toEntryChange(database, entry, 'branch');
    list.count('table', `${database.name}/${entry.table ?? entry.name}`, {
      branch: entry.branch ? 1 : 0,
      main: entry.main ? 1 : 0,
      conflicts: entry.conflict ? 1 : 0,
    });
    if (!isAsked(change, list.query) || !from.isAfter(prefix + entry.path)) continue;
    if (list.remaining() > 0) list.keep(change, change.path);
    else list.cut();
  }
}

interface Rows {
  pair: Pair;
  database: DatabasePair;
  table: TableComparison;
  /** Those that the branch has changed, from the first. */
  rows: RowEntry[];
}

async function listRows(context: BranchesContext, found: Rows, list: DatabaseList, from: Position) {
  const { database, table } = found;
  list.count('row', `${database.name}/${table.name}`, countRows(table));
  const path = `databases/${database.name}/${table.path}`;
  const { query } = list;
  if (!mayBeAsked(path, query)) return;
  if (table.unmergeable !== undefined) {
    const change = toEntryChange(database, table, 'branch');
    if (!isAsked(change, query) || !from.isAfter(path)) return;
    return list.remaining() > 0 ? list.keep(change, path) : list.cut();
  }
  for (const side of ['branch', 'main'] as const) {
    const counts = table[side];
    const total = counts ? counts.added + counts.changed + counts.deleted : 0;
    // Rows that both have changed are listed with those of the branch, unless only those of the page are asked for.
    const isLeftOut = side === 'branch' ? query.side === 'main' : query.side && query.side !== 'main';
    if (total > 0 && !isLeftOut) await listSide(context, found, { side, path, total }, list, from);
  }
}

async function listSide(
  { databaseMerger }: BranchesContext,
  { pair, database, table, rows }: Rows,
  { side, path, total }: { side: 'branch' | 'main'; path: string; total: number },
  list: DatabaseList,
  from: Position,
) {
  const { query } = list;
  const key = findKey(path, query.path);
  const files = asTheyAre(pair, database);
  const read = (offset: number) =>
    databaseMerger.compare(side === 'branch' ? files : swapped(files), {
      ...{ table: table.name, offset, limit: AT_ONCE },
      ...(key !== undefined && { key }),
      ...(side === 'main' && query.side === undefined && { isOwn: true }),
    });
  for (let offset = from.findOffset(path, side); offset < total; ) {
    const isKnown = side === 'branch' && key === undefined && offset === 0 && rows.length > 0;
    const some = isKnown ? rows : (await read(offset)).rows;
    for (const [index, row] of some.entries()) {
      const change = toEntryChange(database, row, side);
      if (query.side === 'conflicts' && !change.conflict) return;
      if (list.remaining() === 0) return list.cut();
      list.keep(change, `${path}@${side}${offset + index + 1}`);
    }
    if (some.length === 0 || key !== undefined) return;
    offset += some.length;
  }
}

function countRows({ unmergeable, isChanged, branch, main, conflicts }: TableComparison): Counts {
  if (unmergeable !== undefined)
    return { branch: isChanged.branch ? 1 : 0, main: isChanged.main ? 1 : 0, conflicts };
  const sum = (counts: TableComparison['branch']) =>
    counts ? counts.added + counts.changed + counts.deleted : 0;
  return { branch: sum(branch), main: sum(main), conflicts };
}

function isAsked({ path, kind, side, conflict }: Change, query: ChangesQuery): boolean {
  if (query.kind !== undefined && query.kind !== kind) return false;
  if (query.path !== undefined && path !== query.path && !path.startsWith(`${query.path}/`)) return false;
  if (query.side === 'conflicts') return conflict;
  return query.side === undefined || side === query.side || side === 'both';
}

/** Whether rows of a table may be asked for: all of them, or one. */
function mayBeAsked(path: string, { kind, path: asked }: ChangesQuery): boolean {
  if (kind !== undefined && kind !== 'row') return false;
  return asked === undefined || `${path}/`.startsWith(`${asked}/`) || asked.startsWith(`${path}/`);
}

/** The key of the row that somebody asks for. */
function findKey(path: string, asked: string | undefined): string | undefined {
  if (!asked?.startsWith(`${path}/`)) return undefined;
  try {
    return decodeURIComponent(asked.slice(path.length + 1));
  } catch {
    return '';
  }
}

/** Where a list goes on. Rows are not in the order of their paths, so that they are counted: `…/rows/posts@branch50`. */
class Position {
  readonly #path: string;
  readonly #side: string;
  readonly #offset: number;

  constructor(after = '') {
    const [, path = after, side = '', offset = '0'] = /^(.*)@(branch|main)(\d{1,12})$/.exec(after) ?? [];
    this.#path = path.startsWith('databases/') ? path : '';
    this.#side = side;
    this.#offset = Number(offset);
  }

  isAfter(path: string): boolean {
    return compareRank(path, this.#path) > 0;
  }

  /** The first row of a side of a table that is listed. */
  findOffset(path: string, side: 'branch' | 'main'): number {
    const rank = compareRank(path, this.#path);
    if (rank > 0 || this.#side === '') return rank > 0 ? 0 : Number.POSITIVE_INFINITY;
    if (rank < 0) return Number.POSITIVE_INFINITY;
    if (side === this.#side) return this.#offset;
    return side === 'main' ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** By database, then schemas before rows, then by path. */
function compareRank(a: string, b: string): number {
  if (b === '') return 1;
  const [one, other] = [a.split('/'), b.split('/')];
  if (one[1] !== other[1]) return (one[1] ?? '') < (other[1] ?? '') ? -1 : 1;
  const isRows = (path: string[]) => (path[2] === 'rows' ? 1 : 0);
  if (isRows(one) !== isRows(other)) return isRows(one) - isRows(other);
  return a < b ? -1 : a > b ? 1 : 0;
}
