import { csvCell, writeCsv } from '../../../../values/index.ts';
import { type CollectionTarget, type DataRecord, type Filter, readAll } from '../../api.ts';

export type Format = 'csv' | 'json' | 'ndjson';

const TYPES: Record<Format, string> = {
  csv: 'text/csv;charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

/**
 * Reads all records that match and turns them into a file. What was read goes into blobs at once, which browsers can
 * keep outside of memory, so that a large collection does not fill the tab.
 */
export async function exportRecords(
  target: CollectionTarget,
  format: Format,
  options: { filter: Filter; signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<{ file: Blob; count: number }> {
  const pages: Blob[] = [];
  const fields = new Set<string>();
  let count = 0;
  for await (const { records, total } of readAll(target, options.filter, options.signal)) {
    for (const { data } of records) for (const name of Object.keys(data)) fields.add(name);
    pages.push(
      new Blob([format === 'csv' ? JSON.stringify(records) : formatLines(records, format, count === 0)]),
    );
    count += records.length;
    options.onProgress(count, Math.max(count, total));
  }
  const type = TYPES[format];
  if (format === 'ndjson') return { file: new Blob(pages, { type }), count };
  if (format === 'json') return { file: new Blob(['[', ...pages, '\n]\n'], { type }), count };
  // Only now all columns are known.
  const rows: Blob[] = [new Blob([formatHead([...fields])])];
  for (const page of pages)
    rows.push(new Blob([formatRows(JSON.parse(await page.text()) as DataRecord[], [...fields])]));
  return { file: new Blob(rows, { type }), count };
}

function formatLines(records: DataRecord[], format: 'json' | 'ndjson', isFirst: boolean): string {
  if (format === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const text = records.map((record) => `\n${JSON.stringify(record)}`).join(',');
  return isFirst || text === '' ? text : `,${text}`;
}

/** The columns of an export that are not fields of the records. */
export const OWN_COLUMNS = ['id', 'createdAt', 'updatedAt', 'createdBy'];

const formatHead = (fields: string[]) => writeCsv([[...OWN_COLUMNS, ...fields]]);

function formatRows(records: DataRecord[], fields: string[]): string {
  const rows = records.map(({ id, createdAt, updatedAt, createdBy, data }) => [
    ...[id, createdAt, updatedAt, csvCell(createdBy?.username)],
    ...fields.map((field) => csvCell(Object.hasOwn(data, field) ? data[field] : undefined)),
  ]);
  return rows.map((row) => `${row.join(',')}\r\n`).join('');
}

/** The whole CSV of some records. */
export function toCsv(records: DataRecord[]): string {
  const fields = [...new Set(records.flatMap(({ data }) => Object.keys(data)))];
  return formatHead(fields) + formatRows(records, fields);
}
