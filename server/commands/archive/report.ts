import { count, saySize } from '../../../cli/terminal/amounts.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import type { ArchiveContents } from '../../product/backup/index.ts';

/** The contents of an archive, as operators know them. */
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

/** The counts as text: `3 users, 1 page, …`. */
export function sayCounts(contents: ArchiveContents): string {
  const { users, pages, records, functions, databases, blobs } = summarize(contents);
  const counts = { user: users, page: pages, record: records, function: functions, database: databases };
  const all = Object.entries({ ...counts, blob: blobs });
  return all.map(([word, amount]) => count(amount, word)).join(', ');
}

/** A warning about files and databases that are missing from the archive. */
export function sayMissing({ totals: { missing } }: ArchiveContents): string {
  return missing.length === 0
    ? ''
    : `\n${missing.length} files or databases are missing: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`;
}

/** Shows the progress of an archive. */
export function createTally(out: Output, label: string) {
  const progress = out.progress(label, undefined);
  let bytes = 0;
  let entries = 0;
  const show = () => progress.at(bytes, `${saySize(bytes)}, ${entries.toLocaleString('en')} entries`);
  return {
    addBytes(count: number) {
      bytes += count;
      show();
    },
    setEntries(seen: number) {
      entries = seen;
      show();
    },
    bytes: () => bytes,
    end: progress.end,
  };
}

/** Calls `see` with every chunk of the stream before passing it on. */
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
