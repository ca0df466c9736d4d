import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { PlainRow } from '../../platform/storage/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { FORMAT, FormatOnly, Manifest, Totals } from './archive/manifest.ts';
import { classify, type EntryKind } from './archive/names.ts';
import { sumLine } from './archive/pack.ts';
import { readTar, type TarFile } from './archive/tar.ts';

/** Callbacks for the content of an archive, in its order. */
export interface ArchiveVisitor {
  manifest(manifest: Manifest): Promise<void>;
  secret(secret: Buffer): Promise<void>;
  rows(table: string, rows: PlainRow[]): Promise<void>;
  blob(key: string, bytes: Buffer): Promise<void>;
  /** A file of a function database, by owner and name. */
  database(path: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
}

/** The content of an archive, in numbers. */
export interface ArchiveContents {
  manifest: Manifest;
  totals: Totals;
  entries: number;
}

/** Reads an archive to its end, and fails unless every byte and every count is correct. */
export async function readArchive(
  stream: ReadableStream<Uint8Array>,
  visitor: ArchiveVisitor,
  onEntry: (entries: number) => void = () => undefined,
): Promise<ArchiveContents> {
  const seen = { entries: 0, rows: new Map<string, number>(), blobs: 0 };
  const sums = createSums();
  let manifest: Manifest | undefined;
  let totals: Totals | undefined;
  let isEnded = false;

  for await (const file of readTar(unzip(stream))) {
    const { kind, which, maxBytes } = classify(file.name);
    assertInPlace(file, kind, { isFirst: seen.entries === 0, isAfterTotals: totals !== undefined, isEnded });
    if (file.size > maxBytes)
      throw new ArchiveError(`${file.name} is too large: ${file.size.toLocaleString('en')} bytes.`);
    const hash = createHash('sha256');
    const bytes = hashing(file.bytes, hash);
    const whole = kind === 'database' ? Buffer.alloc(0) : await readAll(bytes, file.size);
    onEntry(++seen.entries);

    if (kind === 'sums') sums.compareRecent(whole.toString(), file.name, hash.digest('hex'));
    else if (kind === 'end') {
      sums.compareAll(whole.toString());
      isEnded = true;
    } else if (kind === 'database') await visitor.database(which, file.size, bytes);
    else if (kind === 'manifest') {
      manifest = parseManifest(whole);
      await visitor.manifest(manifest);
    } else if (kind === 'secret') await visitor.secret(whole);
    else if (kind === 'rows') {
      const rows = parseRows(file.name, whole);
      seen.rows.set(which, (seen.rows.get(which) ?? 0) + rows.length);
      await visitor.rows(which, rows);
    } else if (kind === 'blob') {
      seen.blobs++;
      await visitor.blob(which, whole);
    } else totals = parse(Totals, whole, file.name);
    if (kind !== 'sums' && kind !== 'end') sums.add(hash.digest('hex'), file.name);
  }
  if (!manifest || !totals || !isEnded)
    throw new ArchiveError('The archive is incomplete: its end is missing.');
  assertCounts(totals, seen);
  return { manifest, totals, entries: seen.entries };
}

function assertInPlace(
  { name }: TarFile,
  kind: EntryKind,
  at: { isFirst: boolean; isAfterTotals: boolean; isEnded: boolean },
): void {
  const quoted = JSON.stringify(name);
  if (at.isFirst !== (kind === 'manifest')) throw new ArchiveError('This is not a Quire archive.');
  if (kind === 'unknown') throw new ArchiveError(`${quoted} does not belong into an archive of Quire.`);
  const isLate = at.isAfterTotals && kind !== 'sums' && kind !== 'end';
  if (at.isEnded || isLate) throw new ArchiveError(`${quoted} comes after the end of the archive.`);
}

function assertCounts(totals: Totals, seen: { rows: Map<string, number>; blobs: number }): void {
  for (const table of new Set([...Object.keys(totals.rows), ...seen.rows.keys()])) {
    const [expected, found] = [totals.rows[table] ?? 0, seen.rows.get(table) ?? 0];
    if (expected !== found)
      throw new ArchiveError(`The archive should hold ${expected} rows of ${table} and holds ${found}.`);
  }
  if (totals.blobs !== seen.blobs)
    throw new ArchiveError(`The archive should hold ${totals.blobs} files and holds ${seen.blobs}.`);
}

/** Compares the archive's checksums, which follow the files, with those of what was read. */
function createSums() {
  const all: string[] = [];
  let recent: string[] = [];
  const compare = (text: string, lines: string[]) => {
    if (text === lines.join('')) return;
    const listed = new Set(text.split('\n'));
    const wrong = lines
      .find((line) => !listed.has(line.trimEnd()))
      ?.trimEnd()
      .split('  ')[1];
    throw new ArchiveError(`The archive is damaged: the checksum of ${wrong ?? 'a file'} is wrong.`);
  };
  return {
    add(sum: string, name: string) {
      recent.push(sumLine(sum, name));
    },
    compareRecent(text: string, name: string, sum: string) {
      compare(text, recent);
      recent = [];
      all.push(sumLine(sum, name));
    },
    compareAll(text: string) {
      if (recent.length > 0) throw new ArchiveError('The archive is damaged: checksums are missing.');
      compare(text, all);
    },
  };
}

async function* unzip(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.pipeThrough(new DecompressionStream('gzip') as never) as ReadableStream<Uint8Array>;
  } catch (error) {
    throw new ArchiveError('The archive is damaged or incomplete: it cannot be unpacked.', { cause: error });
  }
}

async function* hashing(
  bytes: AsyncIterable<Uint8Array>,
  hash: { update(piece: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

async function readAll(bytes: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces, size);
}

function parseManifest(bytes: Buffer): Manifest {
  const { format, quire } = parse(FormatOnly, bytes, 'manifest.json');
  if (format > FORMAT) {
    throw new ArchiveError(
      `This archive was made by Quire ${quire}, which is newer than this one. Update Quire first.`,
    );
  }
  return parse(Manifest, bytes, 'manifest.json');
}

function parseRows(name: string, bytes: Buffer): PlainRow[] {
  const lines = bytes.toString().split('\n').filter(Boolean);
  return lines.map((line) => {
    const row = parseJson(line, name);
    const isRow =
      typeof row === 'object' &&
      row !== null &&
      Object.values(row).every((value) => value === null || ['string', 'number'].includes(typeof value));
    if (!isRow) throw new ArchiveError(`${name} in the archive holds a line that is not a row.`);
    return row as PlainRow;
  });
}

function parse<Schema extends z.ZodType>(schema: Schema, bytes: Buffer, name: string): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(bytes.toString(), name));
  if (!parsed.success) throw new ArchiveError(`${name} in the archive does not say what it should.`);
  return parsed.data;
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArchiveError(`${name} in the archive is not what it should be.`);
  }
}
