import { formatBytes } from '../../ui/index.ts';
import type { Row } from '../api.ts';

const SHOWN_CHARACTERS = 300;
const SHOWN_BYTES = 16;

/** What a cell holds, as text and never as more. */
export function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span class="fn-null">NULL</span>;
  if (isBlob(value)) {
    const start = value.slice(0, SHOWN_BYTES).map((byte) => byte.toString(16).padStart(2, '0'));
    return (
      <span class="fn-null">
        {formatBytes(value.length)} {start.join('')}
        {value.length > SHOWN_BYTES && '…'}
      </span>
    );
  }
  const text = String(value);
  if (text.length <= SHOWN_CHARACTERS) return <>{text}</>;
  return <>{`${text.slice(0, SHOWN_CHARACTERS)}…`}</>;
}

/** JSON has no bytes; they come as lists of numbers. */
export const isBlob = (value: unknown): value is number[] => Array.isArray(value);

/** The names of a result's columns; where there is no row, nobody knows them. */
export const columnsOf = (rows: Row[]): string[] => Object.keys(rows[0] ?? {});
