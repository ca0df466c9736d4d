import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import type { GridColumn } from '../columns.ts';
import { CellEditor, type Move } from './cell-editor.tsx';
import type { CellDraft, GridEditing } from './editing.ts';
import { findBeside, findNext, focusCell, rove } from './moves.ts';

interface Options<Row> {
  rows: Row[];
  /** The columns as they are shown. */
  columns: Array<GridColumn<Row>>;
  /** How many cells are in front of the first column. */
  before: number;
  getKey: (row: Row) => string | number;
  getName: (row: Row) => string;
  editing: GridEditing<Row> | undefined;
  onOpen: ((row: Row) => void) | undefined;
}

interface Edited<Row> {
  cell: HTMLTableCellElement;
  row: Row;
  column: GridColumn<Row>;
  draft: CellDraft;
  first: string | undefined;
}

/** The keyboard and the editor of the cells of a table. */
export function useCells<Row>(options: Options<Row>) {
  const table = useRef<HTMLTableElement>(null);
  const [edited, setEdited] = useState<Edited<Row>>();
  const { locate, start } = useStart(options, setEdited);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = locate(event.target);
    if (!at || edited) return;
    const isCell = event.target === at.cell;
    const next = isCell || isCheckbox(event.target) ? findNext(at.cell, event) : undefined;
    if (next) focusCell(next);
    else if (!isCell || event.altKey || event.ctrlKey || event.metaKey) return;
    else if (event.key === 'Enter' || event.key === 'F2') start(event.target);
    else if (event.key === ' ') options.onOpen?.(at.row);
    else if (event.key === 'Backspace' || event.key === 'Delete') start(event.target, '');
    else if (event.key.length === 1) start(event.target, event.key);
    else return;
    event.preventDefault();
  };
  const handlers = {
    onKeyDown,
    onFocusIn: (event: FocusEvent) => table.current && rove(table.current, event.target),
    onDblClick: (event: MouseEvent) => {
      if (!(event.target instanceof Element && event.target.closest('button, a, input'))) start(event.target);
    },
  };
  return { table, handlers, editor: <Editor {...{ options, edited, setEdited }} /> };
}

/** Finds out what a cell is, and edits it, or opens its row if that is the only way. */
function useStart<Row>(options: Options<Row>, setEdited: (edited: Edited<Row>) => void) {
  const { rows, columns, before, editing, onOpen } = options;
  const locate = (target: EventTarget | null) => {
    const cell = target instanceof Element ? target.closest('td') : null;
    const row = rows[(cell?.parentElement as HTMLTableRowElement | null)?.sectionRowIndex ?? -1];
    const column = cell ? columns[cell.cellIndex - before] : undefined;
    return cell && row !== undefined ? { cell, row, column } : undefined;
  };
  const start = (target: EventTarget | null, first?: string) => {
    const at = locate(target);
    if (!at?.column) return;
    const draft = editing?.draft(at.row, at.column.key);
    if (draft) setEdited({ ...at, column: at.column, draft, first });
    else if (first === undefined) onOpen?.(at.row);
  };
  return { locate, start };
}

interface EditorProps<Row> {
  options: Options<Row>;
  edited: Edited<Row> | undefined;
  setEdited: (edited: Edited<Row> | undefined) => void;
}

function Editor<Row>({ options, edited, setEdited }: EditorProps<Row>) {
  const { rows, getKey, getName, editing } = options;
  // A row that is gone cannot be edited.
  const isGone = edited && !rows.some((row) => getKey(row) === getKey(edited.row));
  useEffect(() => {
    if (isGone) setEdited(undefined);
  }, [isGone]);
  if (!edited || isGone || !editing) return null;
  const { cell, row, column, draft, first } = edited;
  const close = (move: Move) => {
    setEdited(undefined);
    if (move !== 'elsewhere') focusCell(findBeside(cell, ...move));
  };
  return (
    <CellEditor
      key={`${getKey(row)} ${column.key}`}
      anchor={cell}
      label={t('{column} of {name}', { column: column.title, name: getName(row) })}
      draft={draft}
      first={draft.kind === 'choice' || draft.kind === 'date' ? undefined : first}
      onSave={(typed, isForced) => editing.save(row, column.key, typed, isForced)}
      onClose={close}
    />
  );
}

const isCheckbox = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && target.type === 'checkbox';
