import { badRequest } from '../../../../../lib/errors.ts';
import type { Input } from '../definition.ts';

interface Content {
  content?: string;
}

/** The lines of a text that were asked for, with the number of all lines. Other files stay as they are. */
export function takeLines(file: Content, { from_line: first = 1, to_line: last }: Input): unknown {
  const [from, to] = [
    readLine('from_line', first),
    last === undefined ? undefined : readLine('to_line', last),
  ];
  if (file.content === undefined) return file;
  const lines = file.content.split('\n');
  return { ...file, lines: lines.length, content: lines.slice(from - 1, to).join('\n') };
}

function readLine(path: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1) return Number(value);
  throw badRequest([{ path, message: 'must be a whole number from 1' }]);
}
