/** Moves the focus between the cells of a table. */

const STEPS: Record<string, readonly [rows: number, cells: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

/** The cell that a key leads to; undefined for other keys. */
export function findNext(cell: HTMLTableCellElement, { key, ctrlKey, metaKey }: KeyboardEvent) {
  const row = cell.parentElement as HTMLTableRowElement;
  const rows = (row.parentElement as HTMLTableSectionElement).rows;
  const isFar = ctrlKey || metaKey;
  if (key === 'Home' || key === 'End') {
    const line = isFar ? rows[key === 'Home' ? 0 : rows.length - 1] : row;
    return line?.cells[key === 'Home' ? 0 : line.cells.length - 1];
  }
  const step = isFar ? undefined : STEPS[key];
  return step && findBeside(cell, ...step);
}

/** The cell so many rows and cells further; the last one in that direction if there are fewer. */
export function findBeside(cell: HTMLTableCellElement, rows: number, cells: number) {
  const row = cell.parentElement as HTMLTableRowElement;
  const all = (row.parentElement as HTMLTableSectionElement).rows;
  const clamp = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
  const line = all[clamp(row.sectionRowIndex + rows, all.length)];
  return line?.cells[clamp(cell.cellIndex + cells, line.cells.length)];
}

/** Focuses a cell, or the checkbox in it. Only the focused cell is reached with Tab. */
export function focusCell(cell: HTMLTableCellElement | undefined): void {
  if (!cell) return;
  const target = cell.querySelector<HTMLElement>('input[type=checkbox]') ?? cell;
  target.focus({ preventScroll: true });
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** Makes the focused cell the one that Tab reaches. */
export function rove(table: HTMLTableElement, target: EventTarget | null): void {
  const cell = target instanceof Element ? target.closest('td') : null;
  if (!cell) return;
  for (const old of table.querySelectorAll('tbody [tabindex="0"]')) old.setAttribute('tabindex', '-1');
  (cell.querySelector('input[type=checkbox]') ?? cell).setAttribute('tabindex', '0');
}
