import { createHash, type Hash } from 'node:crypto';

/** The content of a database, for comparison: rows and a checksum for each table, and one for everything. */
export interface DatabaseSums {
  tables: Record<string, { rows: number; sha256: string }>;
  /** The checksum of tables, rows, indexes, views, triggers and counters, in the order in which they are written. */
  sha256: string;
}

const INSERT = /^INSERT INTO "((?:[^"]|"")*)"/;

/** Passes on the statements of a database, one JSON line each, and computes their sums. */
export async function* summing(
  pieces: AsyncIterable<Uint8Array>,
  onEnd: (sums: DatabaseSums) => void,
): AsyncGenerator<Uint8Array> {
  const all = createHash('sha256');
  const tables = new Map<string, { rows: number; hash: Hash }>();
  const see = (line: string) => {
    all.update(`${line}\n`);
    const [, quoted] = INSERT.exec(JSON.parse(line) as string) ?? [];
    if (quoted === undefined) return;
    const name = quoted.replaceAll('""', '"');
    const table = tables.get(name) ?? { rows: 0, hash: createHash('sha256') };
    tables.set(name, table);
    table.rows++;
    table.hash.update(`${line}\n`);
  };

  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const piece of pieces) {
    const [first = '', ...rest] = decoder.decode(piece, { stream: true }).split('\n');
    parts.push(first);
    for (const next of rest) {
      see(parts.join(''));
      parts = [next];
    }
    yield piece;
  }
  if (parts.join('') !== '') throw new Error('a database broke off in the middle of a statement');
  const entries = [...tables].map(([name, { rows, hash }]) => [name, { rows, sha256: hash.digest('hex') }]);
  onEnd({ tables: Object.fromEntries(entries), sha256: all.digest('hex') });
}

/** Reads the statements of a database only for their sums. */
export async function sumUp(pieces: AsyncIterable<Uint8Array>): Promise<DatabaseSums> {
  let found: DatabaseSums | undefined;
  const pass = summing(pieces, (sums) => {
    found = sums;
  });
  for await (const _ of pass);
  if (!found) throw new Error('a database was not read to its end');
  return found;
}
