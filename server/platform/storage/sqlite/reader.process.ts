import { Database, type SQLQueryBindings } from 'bun:sqlite';
import type { ReadReply, ReadRequest } from './reader.ts';

/** A reader: one read-only connection, one query at a time. */
const database = new Database(process.argv.at(-1), { readonly: true, strict: true });
database.run('pragma busy_timeout = 5000');

process.on('message', ({ text, parameters }: ReadRequest) => process.send?.(answer(text, parameters)));
process.on('disconnect', () => process.exit(0));

function answer(text: string, parameters: readonly unknown[]): ReadReply {
  try {
    using statement = database.prepare(text);
    return { rows: statement.all(...(parameters as SQLQueryBindings[])) };
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}
