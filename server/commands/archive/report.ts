import { count, saySize } from '../../../cli/terminal/amounts.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import type { ArchiveContents } from '../../product/backup/index.ts';

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
  return all.map(([word, amount]) => count(amount, word)).join(', ');
}

/** Warns of what was lost before the archive was made, or could not be read. */
export function sayMissing({ totals: { missing } }: ArchiveContents): string {
  return missing.length === 0
    ? ''
    : `\n${missing.length} files or databases that rows name could not be had: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`;
}

/** Tells how far the archive has come. */
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
