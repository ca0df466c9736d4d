import { fsyncSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { type DatabasePages, readAtOneMoment } from './database-pages.ts';
import { LogError } from './log.ts';
import { ByteSource, readSegment, SegmentError, SegmentWriter } from './segment.ts';
import { HASHES_FD, OUTCOME_MARK, type Outcome, type Report, type Task } from './tasks.ts';

/** A program: reads a database that its host may be writing, or makes one from segments. It runs in a box. */

const INPUT_FD = 0;
const OUTPUT_FD = 1;
const READ_BYTES = 1024 * 1024;

try {
  print({ report: await run(JSON.parse(process.argv.at(-1) ?? '') as Task) });
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  const isDamage = error instanceof LogError || error instanceof SegmentError;
  print({ failure: { message, code, isDamage } });
  process.exitCode = 1;
}

function print(outcome: Outcome): void {
  process.stderr.write(`\n${OUTCOME_MARK}${JSON.stringify(outcome)}\n`);
}

function run(task: Task): Report | Promise<Report> {
  switch (task.kind) {
    case 'copy':
      return readAtOneMoment(task.file, undefined, copy, () => ftruncateSync(OUTPUT_FD, 0));
    case 'pack':
      return pack(task);
    case 'rebuild':
      return rebuild(task);
  }
}

function copy(source: DatabasePages): Report {
  let at = 0;
  eachPiece(source, (_, piece) => {
    writeAll(OUTPUT_FD, piece, at);
    at += piece.length;
  });
  return toReport(source);
}

function pack({ file, since }: Extract<Task, { kind: 'pack' }>): Report {
  // The hashes of an earlier time come in whole, so that a second try finds them too.
  const before = since ? readHashes() : new BigUint64Array();
  return readAtOneMoment(
    file,
    since?.position,
    (source) => packPages(source, since?.pageBytes === source.pageBytes ? before : undefined),
    () => {
      ftruncateSync(OUTPUT_FD, 0);
      ftruncateSync(HASHES_FD, 0);
    },
  );
}

/** Without earlier hashes, all pages are packed. */
function packPages(source: DatabasePages, before: BigUint64Array | undefined): Report {
  const { pageBytes, pageCount, changed } = source;
  let written = 0;
  const writer = new SegmentWriter(pageBytes, (bytes) => {
    writeAll(OUTPUT_FD, bytes, written);
    written += bytes.length;
  });
  const hashes = new BigUint64Array(pageCount);
  if (before) hashes.set(before.subarray(0, pageCount));
  let pages = 0;
  const see = (page: number, content: Uint8Array) => {
    const hash = Bun.hash.xxHash64(content);
    if (before && page <= before.length && before[page - 1] === hash) return;
    hashes[page - 1] = hash;
    writer.add(page, content);
    pages++;
  };
  if (before && changed) {
    const content = Buffer.alloc(pageBytes);
    for (const page of changed) {
      source.read(page, content);
      see(page, content);
    }
  } else {
    eachPiece(source, (first, piece) => {
      for (let at = 0; at < piece.length; at += pageBytes)
        see(first + at / pageBytes, piece.subarray(at, at + pageBytes));
    });
  }
  const checksum = writer.end();
  writeAll(HASHES_FD, new Uint8Array(hashes.buffer), 0);
  return { ...toReport(source), pages, isFull: before === undefined, bytes: writer.bytes, checksum };
}

function readHashes(): BigUint64Array {
  const bytes = readFileSync(INPUT_FD);
  return new BigUint64Array(new Uint8Array(bytes).buffer);
}

async function rebuild({
  pageBytes,
  pageCount,
  segments,
}: Extract<Task, { kind: 'rebuild' }>): Promise<Report> {
  const source = new ByteSource(Bun.stdin.stream());
  const isWritten = new Uint8Array(pageCount + 1);
  // A page that no segment has is one that was never written.
  ftruncateSync(OUTPUT_FD, pageCount * pageBytes);
  for (const segment of segments) {
    await readSegment(source, segment, pageBytes, (page, content) => {
      if (page < 1 || page > pageCount || isWritten[page]) return;
      isWritten[page] = 1;
      writeAll(OUTPUT_FD, content, (page - 1) * pageBytes);
    });
  }
  fsyncSync(OUTPUT_FD);
  return { pageBytes, pageCount, at: Date.now() };
}

/** Calls `see` with the pages in order, many at a time. */
function eachPiece(source: DatabasePages, see: (first: number, piece: Buffer) => void): void {
  const { pageBytes, pageCount } = source;
  const perRead = Math.max(1, Math.floor(READ_BYTES / pageBytes));
  const buffer = Buffer.alloc(perRead * pageBytes);
  for (let first = 1; first <= pageCount; first += perRead) {
    const count = Math.min(perRead, pageCount - first + 1);
    const piece = buffer.subarray(0, count * pageBytes);
    source.read(first, piece);
    see(first, piece);
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

function toReport({ pageBytes, pageCount, at, position }: DatabasePages): Report {
  return { pageBytes, pageCount, at, position };
}
