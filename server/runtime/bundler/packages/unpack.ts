import { createHash } from 'node:crypto';
import { closeSync, createReadStream, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { readTar, TarError } from '../../../lib/formats/tar-reader.ts';
import { isWasm, wasmModule } from '../wasm.ts';
import { MAX_UNPACKED_BYTES, MAX_UNPACKED_FILES } from './limits.ts';
import { PackageError } from './package-error.ts';

/** The files of a package that the compiler can use. The rest is neither written nor counted as files. */
const USED = /\.(?:[cm]?jsx?|[cm]?tsx?|json|txt|html|sql|css|svg|wasm)$/i;
const TYPES = /\.d\.[cm]?ts$/i;
/** A larger file would not fit into a bundle. It is not read into memory. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const CHUNK = 1024 * 1024;

export interface UnpackOrder {
  /** The package's name, for errors. */
  name: string;
  /** The file with the package. */
  tarball: string;
  integrity: string;
  /** What the source says for the package that needs it. */
  specifier: string;
  /** Where the package's files go. */
  folder: string;
  /** The most bytes that the package's files may take up. */
  maxBytes: number;
  maxFiles: number;
}

export interface Unpacked {
  bytes: number;
  /** The number of files and folders. */
  files: number;
}

/**
 * Checks a package against its hash, and only then looks into it. Writes the files that the compiler can use. Undefined
 * if it has another hash.
 */
export async function unpackPackage(order: UnpackOrder): Promise<Unpacked | undefined> {
  const { folder } = order;
  if (!matches(order.tarball, order.integrity)) return undefined;
  try {
    const { bytes, files, folders } = await findUsed(order);
    mkdirSync(folder, { recursive: true });
    for (const path of folders) mkdirSync(join(folder, path));
    await readFiles(order, async ({ path, read }) => {
      if (!files.has(path)) return;
      const content = await read();
      writeFileSync(join(folder, path), isWasm(path) ? wasmModule(content) : content);
    });
    return { bytes, files: files.size + folders.size };
  } catch (error) {
    if (error instanceof TarError) throw refuse(order, error.message);
    const { code = '' } = error as NodeJS.ErrnoException;
    // Two entries want to be a file and a folder, a name is too long for the disk, or it was not packed with gzip.
    if (/^(ENOTDIR|EISDIR|EEXIST|ENAMETOOLONG|Z_\w+|ERR_ZLIB\w*)$/.test(code))
      throw refuse(order, 'is damaged');
    throw error;
  }
}

/**
 * The files that the compiler can use, and their folders, each after the one that it is in. All are counted before the
 * first is written: writing thousands takes seconds, and a short path can name hundreds of folders.
 */
async function findUsed(order: UnpackOrder) {
  const files = new Set<string>();
  const folders = new Set<string>();
  const bytes = await readFiles(order, ({ path, size }) => {
    if (!USED.test(path) || TYPES.test(path) || size > MAX_FILE_BYTES) return;
    files.add(path);
    if (!folders.has(dirname(path)))
      for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
        folders.add(path.slice(0, at));
    if (files.size + folders.size > order.maxFiles) throw new TarError(tooMany());
  });
  return { bytes, files, folders };
}

interface PackedFile {
  /** The path in the package. */
  path: string;
  size: number;
  read(): Promise<Buffer>;
}

/** Unpacks a package as a stream. Returns the number of bytes that it has unpacked. */
async function readFiles(order: UnpackOrder, onFile: (file: PackedFile) => Promise<void> | void) {
  let bytes = 0;
  const gunzip = createGunzip();
  const packed = createReadStream(order.tarball).on('error', (error) => gunzip.destroy(error));
  /** Stops at the first chunk that is too many. */
  async function* unpacking() {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > order.maxBytes) throw new TarError(TOO_LARGE);
      yield chunk;
    }
  }
  try {
    for await (const { path, size, read } of readTar(unpacking(), order.maxFiles)) {
      // The first folder is always there, usually named `package`.
      if (path.includes('/')) await onFile({ path: path.slice(path.indexOf('/') + 1), size, read });
    }
    return bytes;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** True if a file has one of the SHA-512 hashes of a text such as `sha512-<base64>`. */
function matches(file: string, integrity: string): boolean {
  const hash = createHash('sha512');
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    // It was in the cache a moment ago.
    return false;
  }
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
      hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(descriptor);
  }
  const actual = hash.digest('base64');
  return integrity.split(/\s+/).some((one) => one === `sha512-${actual}`);
}

const tooMany = () =>
  `has too many files and folders, with the other packages of the function: they can have ${MAX_UNPACKED_FILES.toLocaleString('en')} together`;
const TOO_LARGE = `is too large, with the other packages of the function. Unpacked, they can have ${MAX_UNPACKED_BYTES / 1024 / 1024} MB together`;

const refuse = ({ name, specifier }: UnpackOrder, why: string) =>
  new PackageError(`The package ${name} ${why}.`, false, specifier);
