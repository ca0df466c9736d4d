import { MAIN_MODULE } from '../../../contract/rules/function-names.ts';

/** A line of a stack trace. `place` is missing where the code is not the owner's: the runtime, a package. */
export interface Frame {
  text: string;
  place?: { file: string; line: number; column: number };
}

/** Code that was not compiled keeps the name under which the runtime loads it. */
const LOADED_MAIN = 'function.js';
const PLACE = /\(?([^\s()]+):(\d+):(\d+)\)?$/;

/** Splits what a function threw into its message and the calls that led there. */
export function readStack(stack: string, files: readonly string[]): { message: string; frames: Frame[] } {
  const at = stack.search(/\n\s+at /);
  if (at < 0) return { message: stack, frames: [] };
  const frames = stack
    .slice(at + 1)
    .split('\n')
    .map((line) => toFrame(line.trim(), files));
  return { message: stack.slice(0, at), frames };
}

function toFrame(text: string, files: readonly string[]): Frame {
  const [, path = '', line, column] = PLACE.exec(text) ?? [];
  const file = path === LOADED_MAIN ? MAIN_MODULE : path;
  if (!files.includes(file)) return { text };
  return { text, place: { file, line: Number(line), column: Number(column) } };
}
