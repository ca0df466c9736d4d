import { Database, type SQLQueryBindings } from 'bun:sqlite';
import type { ReadReply, ReadRequest } from './sqlite-reader.ts';

declare const self: Worker;

/** The reading thread: one connection that cannot write. */
const database = new Database(process.argv.at(-1), { readonly: true, strict: true });
database.run('pragma busy_timeout = 5000');

self.onmessage = ({ data: { id, text, parameters } }: MessageEvent<ReadRequest>) => {
  self.postMessage(answer(id, () => database.query(text).all(...(parameters as SQLQueryBindings[]))));
};

function answer(id: number, read: () => unknown[]): ReadReply {
  try {
    return { id, rows: read() };
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string };
    return { id, error: { message, code } };
  }
}
