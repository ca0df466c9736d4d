/** What the compiler prints about an error. Test: bundler.test.ts, which fails if a new compiler words it differently. */

/** One error, where it was found. The path is relative to the folder of the compilation. */
export interface Message {
  text: string;
  path: string;
  line: number;
  /** The column in bytes, starting with 0. */
  byte: number;
}

/** The text that every error begins with. */
export const ERROR_MARK = '✘ [ERROR] ';

const ERROR = /^✘ \[ERROR\] (.*)\n\n {4}(.+):(\d+):(\d+):\n/gm;
const UNPLACED = /^✘ \[ERROR\] (.*)$/m;
const UNRESOLVED = /^Could not resolve "((?:[^"\\]|\\.)*)"(?: \(originally "((?:[^"\\]|\\.)*)"\))?/;
const MAX_TEXT = 500;

export function parseMessages(output: string): Message[] {
  const found = [...output.matchAll(ERROR)].map(([, text = '', path = '', line, byte]) => ({
    text: text.replace(/ \[[\w-]+\]$/, '').slice(0, MAX_TEXT),
    path,
    line: Number(line),
    byte: Number(byte),
  }));
  const [, text = ''] = UNPLACED.exec(output) ?? [];
  return found.length > 0 ? found : [{ text: text.slice(0, MAX_TEXT), path: '', line: 1, byte: 0 }];
}

/** The runtime of the compiler, when it cannot get memory or a source is nested too deeply. */
export function isOutOfMemory(output: string): boolean {
  return /^(fatal error|runtime):/m.test(output);
}

/** The import that cannot be resolved, as the source has it. Undefined if the message is about something else. */
export function unresolvedImport({ text }: Message): string | undefined {
  const [, resolved, original] = UNRESOLVED.exec(text) ?? [];
  return original ?? resolved;
}
