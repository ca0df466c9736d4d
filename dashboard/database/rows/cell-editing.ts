import { type CellDraft, EditConflict, type GridEditing } from '../../grid/index.ts';
import { t } from '../../texts/index.ts';
import type { ColumnInfo } from '../sqlite.ts';
import { type Cell, type CellRow, isNumeric, isWhole, NULL, readTyped, toText } from './cells.ts';
import { type RowSource, readRow, updateRow } from './row-queries.ts';

/** Edits the rows of a table in their cells. Nothing is written over what somebody else has changed. */
export function rowEditing(source: RowSource, onSaved: () => Promise<void>): GridEditing<CellRow> {
  const find = (name: string) => source.columns.find((column) => column.name === name);
  return {
    draft(row, name) {
      const column = find(name);
      const cell = row.cells[name] ?? NULL;
      const canEdit = row.id !== undefined && column && !column.isGenerated;
      return canEdit && cell.kind !== 'blob' && isWhole(cell) ? toDraft(cell, column) : undefined;
    },
    async save(row, name, typed, isForced) {
      const column = find(name);
      if (!column) return;
      const changes = { [name]: readTyped(typed, column) };
      if (!(await updateRow(source, row, changes, isForced ? [] : [name]))) await explain(source, row, name);
      await onSaved();
    },
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function toDraft(cell: Cell, { type, isRequired, isKey }: ColumnInfo): CellDraft {
  const typed = toText(cell);
  const canBeNull = !isRequired && !isKey && cell.kind !== 'null';
  if (/BOOL/i.test(type) && /^[01]?$/.test(typed)) {
    const empty = isRequired ? [] : [['', 'NULL'] as const];
    return { kind: 'choice', typed, choices: [...empty, ['1', t('Yes')], ['0', t('No')]] };
  }
  if (/^DATE$/i.test(type) && (typed === '' || DAY.test(typed))) return { kind: 'date', typed, canBeNull };
  if (isNumeric(type) && cell.kind !== 'text') return { kind: 'number', typed, canBeNull };
  return { kind: 'text', typed, canBeNull, isMono: true };
}

/** Why nothing was changed: the row is gone, or the cell is another now. */
async function explain(source: RowSource, row: CellRow, name: string): Promise<never> {
  const now = await readRow(source, row);
  if (!now) throw new Error(t('This row no longer exists.'));
  throw new EditConflict(toText(now.cells[name] ?? NULL));
}
