import { formatBytes } from '../ui/index.ts';
import { type Cell, NULL, toText } from './cells.ts';

const SHOWN_CHARACTERS = 300;

/** The value of a cell, always as plain text. */
export function CellValue({ cell = NULL }: { cell: Cell | undefined }) {
  if (cell.kind === 'null') return <span class="fn-null">NULL</span>;
  if (cell.kind === 'blob')
    return (
      <span class="fn-null">
        {formatBytes(cell.size)} {cell.start}
        {cell.start.length < 2 * cell.size && '…'}
      </span>
    );
  const text = toText(cell);
  return <>{text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`}</>;
}
