/** CSV as in RFC 4180. */

/** Spreadsheets run text that starts like a formula. Others write this text, so it gets an apostrophe. */
const FORMULA = /^[=+\-@\t\r]/;

/** A value as a cell of a CSV file. Lists and objects become JSON. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    return quote(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return quote(FORMULA.test(value) ? `'${value}` : value);
}

const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const writeCsv = (rows: unknown[][]) =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

export interface CsvRow {
  /** The line of the file on which it starts. */
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV file without empty lines. The separator is a comma, a semicolon or a tab, whichever the first line
 * has most of.
 */
export function parseCsv(text: string): CsvRow[] {
  const separator = guessSeparator(text);
  const stop = new RegExp(`${separator}|\\r\\n|\\r|\\n`, 'g');
  const rows: CsvRow[] = [];
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const finish = () => {
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
  };
  while (at < text.length) {
    const { value, end } = readQuoted(text, at);
    stop.lastIndex = end;
    const found = stop.exec(text);
    const until = found?.index ?? text.length;
    row.cells.push(value + text.slice(end, until));
    line += value.split('\n').length - 1;
    at = until + (found?.[0].length ?? 0);
    if (found?.[0] === separator) {
      // The file may end behind a separator.
      if (at === text.length) row.cells.push('');
      continue;
    }
    line += 1;
    finish();
    row = { line, cells: [] };
  }
  if (row.cells.length > 0) finish();
  return rows;
}

/** The quoted text at a position, and where it ends. Empty if there is none. */
function readQuoted(text: string, start: number): { value: string; end: number } {
  let value = '';
  if (text[start] !== '"') return { value, end: start };
  for (let at = start + 1; ; ) {
    const close = text.indexOf('"', at);
    if (close < 0) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, close);
    if (text[close + 1] !== '"') return { value, end: close + 1 };
    value += '"';
    at = close + 2;
  }
}

function guessSeparator(text: string): string {
  const first = text.slice(0, 10_000).split(/\r?\n/, 1)[0] ?? '';
  const count = (separator: string) => first.split(separator).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}
