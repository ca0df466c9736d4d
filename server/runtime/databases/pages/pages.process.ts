import { fsyncSync, ftruncateSync, readFileSync } from 'node:fs';
import { ByteSource, readSegment, SegmentError } from '../../../lib/formats/page-segment.ts';
import { type DatabasePages, readAtOneMoment } from './database-pages.ts';
import { LogError } from './log.ts';
import { eachPiece, packPages, toReport, writeAll } from './pack.ts';
import { HASHES_FD, OUTCOME_MARK, OUTPUT_FD, type Outcome, type Report, type Task } from './tasks.ts';

/** A program: reads a database that its host may be writing, or makes one from segments. It runs in a box. */

const INPUT_FD = 0;

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
