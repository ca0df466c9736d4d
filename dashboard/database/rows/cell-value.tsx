import { Dash } from '../../grid/index.ts';
import { t } from '../../texts/index.ts';
import { formatBytes } from '../../ui/index.ts';
import { type Cell, isWhole, NULL, toText } from './cells.ts';

const SHOWN_CHARACTERS = 300;

/** The value of a cell, always as plain text. */
export function CellValue({ cell = NULL }: { cell: Cell | undefined }) {
  if (cell.kind === 'null') return <Dash label="NULL" />;
  if (cell.kind === 'blob')
    return (
      <span class="fn-null">
        {formatBytes(cell.size)} {cell.start}
        {!isWhole(cell) && '…'}
      </span>
    );
  const text = toText(cell);
  if (text === '') return <Dash label={t('empty')} />;
  return <>{text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`}</>;
}
