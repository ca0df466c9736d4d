import { formatBytes } from '../ui/index.ts';
import type { Row } from './api.ts';

const SHOWN_CHARACTERS = 300;
const SHOWN_BYTES = 16;

/** The value of a cell, always as plain text. */
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
  const text = isInexact(value) ? `≈ ${value}` : String(value);
  if (text.length <= SHOWN_CHARACTERS) return <>{text}</>;
  return <>{`${text.slice(0, SHOWN_CHARACTERS)}…`}</>;
}

/** JSON cannot hold bytes, so the service sends them as arrays of numbers. */
export const isBlob = (value: unknown): value is number[] => Array.isArray(value);

/** SQLite has larger integers than JSON numbers can hold: these may stand for another one nearby. */
export const isInexact = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(Number(value)) <= 2 ** 63;

/** The column names of a result. Without rows they are unknown. */
export const listColumns = (rows: Row[]): string[] => Object.keys(rows[0] ?? {});
