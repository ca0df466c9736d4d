import type { ArchiveContents } from '../backup/index.ts';

/** What is in an archive, in the words of whoever runs the service. */
export function summarize({ manifest, totals }: ArchiveContents) {
  const { users = 0, pages = 0, records = 0, functions = 0 } = totals.rows;
  const { databases, blobs, missing } = totals;
  return {
    createdAt: manifest.createdAt,
    quire: manifest.quire,
    users,
    pages,
    records,
    functions,
    databases,
    blobs,
    missing,
  };
}

/** The counts as a sentence goes on: `3 users, 1 page, …`. */
export function sayCounts(contents: ArchiveContents): string {
  const { users, pages, records, functions, databases, blobs } = summarize(contents);
  const counts = { user: users, page: pages, record: records, function: functions, database: databases };
  const all = Object.entries({ ...counts, blob: blobs });
  return all.map(([word, n]) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`).join(', ');
}

/** Warns of files that were lost before the archive was made. */
export function sayMissing({ totals: { missing } }: ArchiveContents): string {
  return missing.length === 0
    ? ''
    : `\n${missing.length} files that rows name were not there: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`;
}

/** Megabytes, as people read them. */
export function saySize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const SHOW_EVERY_MS = 200;

/** One line on a terminal that is written anew; nothing where nobody looks. */
export function createProgress(isShown: boolean) {
  const seen = { bytes: 0, entries: 0 };
  let shownAt = 0;
  function show() {
    if (!isShown || !process.stderr.isTTY || Date.now() - shownAt < SHOW_EVERY_MS) return;
    shownAt = Date.now();
    process.stderr.write(`\r\u001b[K${saySize(seen.bytes)}, ${seen.entries.toLocaleString('en')} entries`);
  }
  return {
    bytes(count: number) {
      seen.bytes += count;
      show();
    },
    entries(count: number) {
      seen.entries = count;
      show();
    },
    get seen() {
      return seen;
    },
    end() {
      if (shownAt > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

/** The stream, with somebody who sees every piece before it goes on. */
export function watched(
  stream: ReadableStream<Uint8Array>,
  see: (piece: Uint8Array) => Promise<void> | void,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  const watching = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, to) {
      await see(piece);
      to.enqueue(piece);
    },
  });
  return stream.pipeThrough(watching, signal && { signal });
}
