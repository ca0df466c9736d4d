import type { Change, ChangeContent, ChangeSide } from '../../../../../contract/pages/branches/changes.ts';
import type {
  OpenConflict,
  RowEntry,
  SchemaEntry,
  TableComparison,
} from '../../../../runtime/databases/index.ts';
import { toJson } from '../leaves.ts';
import type { DatabasePair } from './find.ts';

/** Entries of databases as clients see them. */

type Side = 'branch' | 'main';

/** An entry that was compared as if this side were the branch. */
export function toEntryChange({ name }: DatabasePair, entry: OpenConflict, from: Side): Change {
  const prefix = `databases/${name}/`;
  if ('sql' in entry) return toSchemaChange(prefix, entry, from);
  return 'columns' in entry ? toRowChange(prefix, entry, from) : toTableChange(prefix, entry, from);
}

const ACTIONS = { added: 'added', changed: 'changed', dropped: 'deleted' } as const;

function toSchemaChange(prefix: string, entry: SchemaEntry, from: Side): Change {
  const { branch, main } = entry;
  const side = branch && main ? 'both' : branch ? from : flip(from);
  const [own, other] = [showSql(entry.sql.branch), showSql(entry.sql.main)];
  return {
    ...{ path: prefix + entry.path, kind: 'table', side, conflict: entry.conflict },
    action: ACTIONS[branch ?? main ?? 'changed'],
    // What the page has removed is no data of the branch that a merge removes.
    needs_confirm: entry.drops,
    ...{ base: showSql(entry.sql.base), ...bySide(from, own, other), merged: null },
  };
}

function showSql(sql: string | undefined): ChangeContent | null {
  if (sql === undefined) return null;
  return { text: sql, bytes: Buffer.byteLength(sql), truncated: sql.endsWith('…') };
}

function toRowChange(prefix: string, row: RowEntry, from: Side): Change {
  const { kind, main, conflict, columns } = row;
  const isBoth = main === 'changed' || (main === 'none' && kind === 'changed');
  const side: ChangeSide = conflict || isBoth ? 'both' : from;
  const show = (of: 'base' | 'branch' | 'main', isThere: boolean) => (isThere ? showJson(row, of) : null);
  const own = show('branch', kind !== 'deleted');
  const other = show('main', main !== 'none');
  return {
    ...{ path: prefix + row.path, kind: 'row', action: kind, side, conflict, needs_confirm: false },
    fields: columns.map((column) => ({
      name: column.name,
      action: column.base === null ? 'added' : column.branch === null ? 'deleted' : 'changed',
      side: column.conflict ? 'both' : from,
      conflict: column.conflict,
    })),
    ...{ base: show('base', kind !== 'added'), ...bySide(from, own, other), merged: null },
  };
}

/** The key and the columns that differ, which are shown in short. */
function showJson(row: RowEntry, of: 'base' | 'branch' | 'main'): ChangeContent {
  const key = row.keyNames.map((name, index) => [name, row.key[index]]);
  const text = toJson(Object.fromEntries([...key, ...row.columns.map((each) => [each.name, each[of]])]));
  return { text, bytes: Buffer.byteLength(text), truncated: text.includes('…') };
}

/** A table whose rows cannot be told apart is one change. */
export function toTableChange(prefix: string, table: TableComparison, from: Side): Change {
  const { branch, main } = table.isChanged;
  const side = branch && main ? 'both' : branch ? from : flip(from);
  return {
    ...{ path: prefix + table.path, kind: 'row', action: 'changed', side, needs_confirm: false },
    ...{ conflict: table.conflicts > 0, base: null, branch: null, main: null, merged: null },
  };
}

const flip = (side: Side): Side => (side === 'main' ? 'branch' : 'main');

const bySide = (from: Side, own: ChangeContent | null, other: ChangeContent | null) =>
  from === 'branch' ? { branch: own, main: other } : { branch: other, main: own };
