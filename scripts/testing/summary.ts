import { stripVTControlCharacters } from 'node:util';
import type { Failure } from './outcome.ts';

const LINE_LENGTH = 200;
/** Says what failed and why, in few lines: of a long output, people often get to see only the end. */
export function summarize(failures: Array<Failure & { suite: string }>, mostLines: number): string[] {
  const share = Math.max(1, Math.floor(mostLines / Math.max(1, failures.length)));
  const lines = failures.flatMap((failure) => [
    shorten([failure.suite, failure.file, failure.name].filter(Boolean).join(': ')),
    ...essence(failure.error, share - 1).map((line) => `    ${line}`),
  ]);
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`];
}

/** The lines of an error that tell most: what it says, how values differ, and where. */
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

/** What an output says about a file of tests, or at its end: for what no report tells. */
export function excerpt(output: string, file?: string): string {
  if (!file) return output.trim().split('\n').slice(-15).join('\n');
  const [, section = ''] = output.split(`\n${file}:\n`);
  return section.split(/\n\S+\.\w+:\n/, 1)[0]?.trim() ?? '';
}
