import { printable } from './colours.ts';

const MAX_WIDTH = 60;

/** Rows as an aligned table; numbers are right-aligned. */
export function columns(
  headings: string[],
  rows: unknown[][],
  paintHeading = (text: string) => text,
): string {
  const names = headings.map(toText);
  const cells = rows.map((row) => row.map(toText));
  const widths = names.map((heading, index) =>
    Math.max(Bun.stringWidth(heading), ...cells.map((row) => Bun.stringWidth(row[index] ?? ''))),
  );
  const isNumber = headings.map(
    (_, index) =>
      rows.length > 0 && rows.every((row) => typeof row[index] === 'number' || row[index] === null),
  );
  const line = (row: string[]) =>
    row
      .map((cell, index) => {
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - Bun.stringWidth(cell)));
        return isNumber[index] ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return [paintHeading(line(names)), ...cells.map(line)].join('\n');
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = printable(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
  return shown.length > MAX_WIDTH ? `${shown.slice(0, MAX_WIDTH - 1)}…` : shown;
}
