import { type CollectionPlace, type DataRecord, readAll } from '../api.ts';

export type Format = 'ndjson' | 'csv';

/** Reads all records that match and turns them into a file. */
export async function exportRecords(
  place: CollectionPlace,
  format: Format,
  options: { where?: string; signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<Blob> {
  const records: DataRecord[] = [];
  for await (const listing of readAll(place, options)) {
    records.push(...listing.records);
    options.onProgress(records.length, Math.max(records.length, listing.total));
  }
  if (format === 'ndjson') {
    return new Blob(
      records.map((record) => `${JSON.stringify(record)}\n`),
      { type: 'application/x-ndjson' },
    );
  }
  return new Blob([toCsv(records)], { type: 'text/csv;charset=utf-8' });
}

/** Writes CSV (RFC 4180) with the fields of all records. */
export function toCsv(records: DataRecord[]): string {
  const fields = [...new Set(records.flatMap(({ data }) => Object.keys(data)))];
  const head = ['id', 'createdAt', 'updatedAt', 'createdBy', ...fields].map(toCell);
  const rows = records.map(({ id, createdAt, updatedAt, createdBy, data }) => [
    ...[id, createdAt, updatedAt, toCell(createdBy?.username)],
    ...fields.map((field) => toCell(Object.hasOwn(data, field) ? data[field] : undefined)),
  ]);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    return quote(typeof value === 'object' ? JSON.stringify(value) : String(value));
  // Visitors write this text, and spreadsheets run text that starts like a formula.
  return quote(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
