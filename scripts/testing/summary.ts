import { stripVTControlCharacters } from 'node:util';
import type { Failure, Outcome } from './outcome.ts';

const LINE_LENGTH = 200;

/** What failed and why, in few lines. */
export function summarize(failures: Array<Failure & { suite?: string }>, mostLines: number): string[] {
  const share = Math.max(1, Math.floor(mostLines / Math.max(1, failures.length)));
  const lines = failures.flatMap((failure) => [
    shorten([failure.suite, failure.file, failure.name].filter(Boolean).join(': ')),
    ...essence(failure.error, share - 1).map((line) => `    ${line}`),
  ]);
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`];
}

/** The most useful lines of an error: its message, how values differ, and where. */
function essence(error: string, mostLines: number): string[] {
  const all = stripVTControlCharacters(error)
    .split('\n')
    .filter((line) => line.trim());
  const isPlace = (line: string) => /^\s+at /.test(line);
  const places = all.filter(isPlace).slice(0, 1);
  const [first = '', ...rest] = all.filter((line) => !isPlace(line));
  const differences = rest.filter((line) => /^[-+] (?!(Expected|Received) )/.test(line));
  const said = [first, ...(differences.length ? differences : rest)].filter(Boolean);
  const room = Math.max(0, mostLines - places.length);
  const shown = said.length > room ? [...said.slice(0, room - 1), ...(room > 0 ? ['…'] : [])] : said;
  return [...shown, ...places].slice(0, mostLines).map(shorten);
}

function shorten(line: string): string {
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}

/** The result of each suite: its tests, and the sum of the times of its files. */
export function tabulate(outcomes: Map<string, Outcome>): string[] {
  const rows = [...outcomes].map(([name, { passed, failed, skipped, milliseconds }]) => [
    name,
    `${passed} passed${failed ? `, ${failed} FAILED` : ''}${skipped ? `, ${skipped} skipped` : ''}`,
    `${(milliseconds / 1000).toFixed(1)} s`,
  ]);
  const width = (column: number) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  return rows.map(
    ([name = '', counts = '', time = '']) =>
      `${name.padEnd(width(0))}  ${counts.padEnd(width(1))}  ${time.padStart(width(2))}`,
  );
}
