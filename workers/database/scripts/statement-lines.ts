import { LAST_LINE } from '../../protocol.ts';

/** Statements between processes: one JSON string per line, so that no reader has to buffer them all or parse SQL. */

/** How long to wait for more statements. A sender that hangs must not keep the database for ever. */
const STALL_MS = 15_000;

export function toLine(statement: string): string {
  return `${JSON.stringify(statement)}\n`;
}

/** The statements in a stream, in groups as they arrive. */
export async function* readLines(
  stream: ReadableStream<Uint8Array> | null,
  stallMs = STALL_MS,
): AsyncGenerator<string[]> {
  if (!stream) return;
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  // A list: a line may be long, and appending to a string again and again would be quadratic.
  let rest: string[] = [];
  for (;;) {
    const { done, value } = await inTime(reader.read(), stallMs);
    const text = decoder.decode(value, { stream: !done });
    const end = text.lastIndexOf('\n');
    if (end < 0) rest.push(text);
    else {
      const lines = `${rest.join('')}${text.slice(0, end)}`.split('\n');
      rest = [text.slice(end + 1)];
      yield lines.map((line) => JSON.parse(line) as string);
    }
    if (done) break;
  }
  if (rest.join('') !== '') throw new Error('the statements broke off in the middle of one');
}

async function inTime<T>(reading: Promise<T>, stallMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the statements stopped arriving')), stallMs);
  try {
    return await Promise.race([reading, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The statements in a stream whose last line is `LAST_LINE`. Throws if it ends before that. */
export async function* readAllLines(
  stream: ReadableStream<Uint8Array> | null,
  stallMs = STALL_MS,
): AsyncGenerator<string[]> {
  let isComplete = false;
  for await (const lines of readLines(stream, stallMs)) {
    isComplete = lines.at(-1) === LAST_LINE;
    yield isComplete ? lines.slice(0, -1) : lines;
  }
  if (!isComplete) throw new Error('the statements broke off');
}
