import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { toFault } from '../../../../../contract/errors.ts';
import {
  FILE_HASH,
  FilePathSet,
  filePathFault,
  INDEX_PATH,
  normalizeFilePath,
} from '../../../../../contract/rules/file-paths.ts';
import {
  MAX_PAGE_FILE_BYTES,
  MAX_PAGE_FILES,
  MAX_PAGE_FILES_BYTES,
} from '../../../../../contract/rules/limits.ts';
import { phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
import { AppError, badRequest } from '../../../../lib/errors.ts';
import { readParts } from '../../../../lib/formats/multipart.ts';
import { readZip } from '../../../../lib/formats/zip-reader.ts';

/** Turns the body of an upload into files. Runs in a thread. */

/** An upload on disk. */
export interface UnpackRequest {
  /** The body as it was sent. */
  body: string;
  /** The boundary of a form; an archive has none. */
  boundary: string | undefined;
  /** The folder that the files are written to. */
  folder: string;
  /** Hashes of bytes that need not be written, because the page has them. */
  known: string[];
}

/** A file as it was sent. */
export interface SentFile {
  path: string;
  hash: string;
  size: number;
  crc32: number;
  /** The path of the bytes; undefined if the page, or another file of this upload, already has them. */
  writtenTo?: string;
}

export interface Unpacked {
  files: SentFile[];
  /** Files that the page keeps: paths and hashes. */
  keep: Array<[path: string, hash: string]>;
}

/** Entries of an archive, which can also list folders. */
const MAX_ZIP_ENTRIES = 10_000;
const MAX_KEEP_BYTES = 4 * 1024 * 1024;
/** Parts of a form: files, index.html and the list of files to keep. */
const MAX_PARTS = MAX_PAGE_FILES + 2;
/** Characters of a name in an error message. */
const MAX_SHOWN = 200;
/** Files that systems add to archives on their own. */
const RUBBISH = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;

export function unpack({ body, boundary, folder, known }: UnpackRequest): Unpacked {
  // The body is not read into memory: the system loads what is used, and drops it again.
  const mapped = Bun.mmap(body, { shared: false });
  const bytes = Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  const stage = new Stage(folder, known);
  if (boundary === undefined) unpackZip(bytes, stage);
  else unpackForm(bytes, boundary, stage);
  return { files: stage.files, keep: stage.keep };
}

function unpackZip(bytes: Buffer, stage: Stage): void {
  const entries = readZip(bytes, MAX_ZIP_ENTRIES).filter(({ name }) => !RUBBISH.test(name));
  const top = topFolder(entries.map(({ name }) => name));
  // Check all sizes that the archive claims before anything is unpacked.
  for (const { name, size } of entries) stage.expect(name.slice(top.length), size);
  for (const { name, read } of entries) stage.write(name.slice(top.length), read());
}

/** The only folder of an archive, if the page is in it. Packing a folder instead of its files is a common mistake. */
function topFolder(names: string[]): string {
  const [first = ''] = names;
  const top = first.slice(0, first.indexOf('/') + 1);
  const isOnly = top !== '' && names.every((name) => name.startsWith(top));
  return isOnly && names.includes(top + INDEX_PATH) ? top : '';
}

function unpackForm(bytes: Buffer, boundary: string, stage: Stage): void {
  const seen = new Set<string>();
  for (const part of readParts(bytes, boundary, MAX_PARTS)) {
    if (part.name === 'keep') {
      if (seen.has(part.name)) throw wrongFile('keep', 'is there twice');
      seen.add(part.name);
      keepFiles(part.bytes, stage);
      continue;
    }
    if (part.name === 'file' && part.filename === undefined)
      throw wrongFile('file', 'must have a filename, which is its path');
    const path = part.name === 'file' ? (part.filename ?? '') : part.name;
    stage.expect(path, part.bytes.byteLength);
    stage.write(path, part.bytes);
  }
}

function keepFiles(bytes: Uint8Array, stage: Stage): void {
  if (bytes.byteLength > MAX_KEEP_BYTES) throw tooMany();
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw wrongFile('keep', 'must be JSON');
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrongFile('keep', 'must be an object of paths and hashes');
  for (const [path, hash] of Object.entries(given)) {
    if (typeof hash !== 'string' || !FILE_HASH.test(hash))
      throw wrongFile(`keep.${path}`, 'must be the hash of a file, as the list of files has it');
    stage.keepFile(path, hash);
  }
}

/** Collects the files of an upload, within the limits. */
class Stage {
  readonly files: SentFile[] = [];
  readonly keep: Unpacked['keep'] = [];
  readonly #paths = new FilePathSet();
  readonly #written: Set<string>;
  #bytes = 0;
  #hasIndex = false;

  constructor(
    private readonly folder: string,
    known: string[],
  ) {
    this.#written = new Set(known);
    // A page always has an index.html, whether it is sent or not.
    this.#paths.add(INDEX_PATH);
  }

  /** Checks a path and a size. */
  expect(path: string, size: number): void {
    const isIndex = this.#add(path) === INDEX_PATH;
    if (size > MAX_PAGE_FILE_BYTES) throw fileTooLarge(path, size);
    if (!isIndex) this.#bytes += size;
    if (this.#bytes > MAX_PAGE_FILES_BYTES) throw allTooLarge();
  }

  write(path: string, bytes: Uint8Array): void {
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    const file: SentFile = {
      path: normalizeFilePath(path),
      hash,
      size: bytes.byteLength,
      crc32: crc32(bytes),
    };
    // The document is always needed: it becomes part of the version itself.
    if (!this.#written.has(hash) || file.path === INDEX_PATH) {
      file.writtenTo = join(this.folder, String(this.files.length));
      writeFileSync(file.writtenTo, bytes, { mode: 0o600 });
      if (file.path !== INDEX_PATH) this.#written.add(hash);
    }
    this.files.push(file);
  }

  keepFile(path: string, hash: string): void {
    if (this.#add(path) === INDEX_PATH)
      throw wrongFile(`keep.${path}`, 'cannot be kept by its hash. Leave it out: the page keeps its HTML');
    this.keep.push([normalizeFilePath(path), hash]);
  }

  #add(given: string): string {
    const path = normalizeFilePath(given);
    const isFirstIndex = path === INDEX_PATH && !this.#hasIndex;
    const why = filePathFault(path) ?? (isFirstIndex ? undefined : this.#paths.add(path));
    if (why) throw refuseFile(path, why);
    if (isFirstIndex) this.#hasIndex = true;
    // One more is allowed for index.html, which is not counted.
    if (this.#paths.size > MAX_PAGE_FILES + 1) throw tooMany();
    return path;
  }
}

/** The error for a file. Its name is escaped, because control characters would hide what it is. */
export const wrongFile = (path: string, sentence: string): AppError => refuseFile(path, phrase(sentence));

export function refuseFile(path: string, why: Text): AppError {
  const fault = toFault(shortened(path), why);
  if (fault.path) return badRequest([fault]);
  return new AppError('BAD_REQUEST', 'A file: {why}.', { why }, { details: [fault] });
}

/** A name for an error message, cut because it can be as long as the upload. */
function shortened(path: string): string {
  const start = path.slice(0, MAX_SHOWN).toWellFormed();
  return JSON.stringify(path.length > MAX_SHOWN ? `${start}…` : start).slice(1, -1);
}

export function tooMany(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'A page can have at most {count} files. Remove some.', {
    count: MAX_PAGE_FILES,
  });
}

function fileTooLarge(path: string, size: number): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    '"{path}" has {size} bytes; a file can have at most {max}. Make it smaller.',
    { path: shortened(path), size, max: MAX_PAGE_FILE_BYTES },
  );
}

export function allTooLarge(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'The files of a page can have at most {max} bytes together. Remove some.',
    { max: MAX_PAGE_FILES_BYTES },
  );
}
