import { createInterface } from 'node:readline/promises';
import { CommandError, UsageError } from '../usage.ts';
import { printable } from './colours.ts';

const MAX_STDIN_BYTES = 16 * 1024 * 1024;

/** True if the command runs in a terminal. */
export const isAsked = () => process.stdin.isTTY === true;

/** All of standard input as text. */
export async function readStdin(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_STDIN_BYTES) throw new CommandError('Standard input has more than 16 MB.');
  }
  return Buffer.concat(chunks).toString();
}

/** Asks for a line. */
export async function askLine(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await reader.question(printable(question))).trim();
  } finally {
    reader.close();
  }
}

/** A secret: typed without echo, or all of standard input without the final newline. */
export async function readSecretValue(question: string): Promise<string> {
  const value = isAsked() ? await askUnseen(question) : (await readStdin()).replace(/\r?\n$/, '');
  if (value === '') throw new UsageError('Standard input is empty.');
  return value;
}

/** Asks for a line without echo. */
function askUnseen(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question, so nothing that is typed early is shown.
  stdin.setRawMode(true);
  stderr.write(printable(question));
  stdin.resume();
  let typed = '';
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      stdin.off('data', hear);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const hear = (chunk: Buffer) => {
      for (const key of chunk.toString()) {
        if (key === '\r' || key === '\n' || key === '\u0004') return finish(() => resolve(typed));
        if (key === '\u0003') return finish(() => reject(new CommandError('Stopped.', 130)));
        typed = key === '\u007f' || key === '\b' ? [...typed].slice(0, -1).join('') : typed + key;
      }
    };
    stdin.on('data', hear);
  });
}
