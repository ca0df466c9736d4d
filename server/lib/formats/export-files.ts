import { setImmediate } from 'node:timers/promises';
import { longTarHeader, TAR_END, tarPadding } from './tar-writer.ts';

/** Bytes in pieces. */
type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file of an export. */
export type ExportFile =
  | { path: string; size: number; bytes: Bytes }
  /** Texts that are written one after the other, however many there are. */
  | { path: string; lines: AsyncIterable<string> };

/** A text or a value, which is written as JSON. */
export function exportFile(path: string, content: string | object): ExportFile {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, bytes: [bytes] };
}

/** Values, each as a line of JSON. */
export function exportLines(path: string, values: AsyncIterable<object>): ExportFile {
  async function* lines() {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  }
  return { path, lines: lines() };
}

/** A name that is safe in every file system, for a name that a person chose. */
export function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '_');
  return [...safe].slice(0, 80).join('') || '_';
}

/** Lines are collected up to this size, because a tar has the size of a file before its bytes. */
const PART_BYTES = 1024 * 1024;
/** Names of damaged files that are listed. */
const MAX_DAMAGED = 1_000;

/**
 * The files as a tar. A file of lines that is larger than one part becomes several: `a.jsonl`, `a.2.jsonl`. A file whose
 * bytes disappear while they are read is filled up with zeros, and named in a last file.
 */
export async function* packExport(
  files: AsyncIterable<ExportFile>,
  modifiedAt: number,
): AsyncGenerator<Uint8Array> {
  const damaged: string[] = [];
  for await (const file of files) {
    if ('lines' in file) {
      for await (const part of inParts(file)) yield* put(part, modifiedAt);
      continue;
    }
    const isWhole = yield* put(file, modifiedAt);
    if (!isWhole && damaged.length < MAX_DAMAGED) damaged.push(file.path);
  }
  if (damaged.length > 0) {
    const text = `These files changed or were deleted while they were exported:\n${damaged.join('\n')}\n`;
    yield* put(exportFile('INCOMPLETE.txt', text) as SizedFile, modifiedAt);
  }
  yield TAR_END;
}

type SizedFile = Extract<ExportFile, { size: number }>;

/** Writes a file. Returns whether all bytes were there. */
async function* put(
  { path, size, bytes }: SizedFile,
  modifiedAt: number,
): AsyncGenerator<Uint8Array, boolean> {
  // SQLite never waits, so without this an export of many rows would keep this thread from all requests.
  await setImmediate();
  yield longTarHeader({ name: path, size, modifiedAt });
  let left = size;
  try {
    for await (const piece of bytes) {
      const fitting = piece.subarray(0, left);
      left -= fitting.length;
      if (fitting.length > 0) yield fitting;
      if (fitting.length < piece.length) break;
    }
  } catch {
    // What is missing is named in the archive.
  }
  const isWhole = left === 0;
  for (; left > 0; left -= Math.min(left, PART_BYTES)) yield new Uint8Array(Math.min(left, PART_BYTES));
  if (size % 512 !== 0) yield tarPadding(size);
  return isWhole;
}

async function* inParts({ path, lines }: Extract<ExportFile, { lines: unknown }>): AsyncGenerator<SizedFile> {
  let parts = 0;
  let waiting: Buffer[] = [];
  let size = 0;
  const part = (): SizedFile => {
    const name = ++parts === 1 ? path : path.replace(/(\.[^./]+)?$/, `.${parts}$1`);
    const file = { path: name, size, bytes: waiting };
    waiting = [];
    size = 0;
    return file;
  };
  for await (const line of lines) {
    const bytes = Buffer.from(line);
    if (size > 0 && size + bytes.length > PART_BYTES) yield part();
    waiting.push(bytes);
    size += bytes.length;
  }
  if (size > 0 || parts === 0) yield part();
}
