import { CommandError } from '../usage.ts';
import { type Paint, printable } from './colours.ts';

/** The position of an error in a file; lines and columns start at 1. */
export interface SourcePosition {
  file: string;
  text: string;
  line: number;
  column: number;
}

/** An error in a source file, shown with its line. */
export class SourceError extends CommandError {
  constructor(
    readonly fault: string,
    readonly place: SourcePosition,
    details: Record<string, unknown> = {},
  ) {
    const { file, line, column } = place;
    super(showFault(fault, place), undefined, { ...details, file, line, column });
  }
}

/** Like a compiler: the position, the message, the line, and a caret below the column. */
export function showFault(
  message: string,
  { file, text, line, column }: SourcePosition,
  paint?: Paint,
): string {
  const source = printable((text.split('\n')[line - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' '));
  // Of a minified line, show only the part around the error.
  const from = Math.max(0, column - 60);
  const shown = source.slice(from, from + 100);
  const gutter = `${line} | `;
  const caret = `${' '.repeat(gutter.length + Math.max(0, column - 1 - from))}^`;
  const head = `${file}:${line}:${column}: ${message}`;
  return [paint ? paint.bold(head) : head, `${gutter}${shown}`, paint ? paint.red(caret) : caret].join('\n');
}

/** The line and column of an offset. */
export function locateOffset(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
