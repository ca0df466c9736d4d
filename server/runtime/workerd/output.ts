import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 16 * 1024;
/**
 * A process that prints more than this in a second must wait for the next second, because reading costs the server CPU
 * time. A million lines still pass within seconds. A process that waits does not respond to calls.
 */
const MAX_BYTES_PER_SECOND = 16 * 1024 * 1024;
const MAX_DESCRIPTOR_TEXT = 4096;

/** Collects the text from an extra file descriptor. Calls `onText` with all text so far whenever more arrives. */
export function readDescriptor(child: ChildProcess, fd: number, onText: (soFar: string) => void): void {
  let text = '';
  const stream = child.stdio[fd] as Readable | null;
  stream?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_DESCRIPTOR_TEXT);
    onText(text);
  });
  stream?.on('error', () => undefined);
}

/** Splits output into lines and cuts long ones, so that a process cannot fill our memory by printing. */
export function readLines(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (!stream) return Promise.resolve();
  const decoder = new StringDecoder();
  const pace = createPace(stream);
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    pace(chunk.length);
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.slice(0, MAX_LINE));
    if (rest.length > MAX_LINE) {
      onLine(rest.slice(0, MAX_LINE));
      rest = '';
    }
  });
  stream.on('error', () => undefined);
  return new Promise((resolve) => stream.on('close', () => resolve()));
}

/** Pauses a stream for the rest of the second if it delivers too much. */
function createPace(stream: Readable): (bytes: number) => void {
  let second = 0;
  let total = 0;
  return (bytes) => {
    const now = Math.floor(Date.now() / 1000);
    total = now === second ? total + bytes : bytes;
    second = now;
    if (total <= MAX_BYTES_PER_SECOND) return;
    stream.pause();
    setTimeout(() => stream.resume(), 1000 - (Date.now() % 1000));
  };
}
