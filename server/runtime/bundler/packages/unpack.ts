import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTar, TarError } from '../../../lib/formats/tar-reader.ts';
import { MAX_UNPACKED_FILES } from './limits.ts';
import { PackageError } from './package-error.ts';

/** The files of a package that the compiler can use. The rest is neither written nor counted as files. */
const USED = /\.(?:[cm]?jsx?|[cm]?tsx?|json|txt|wasm)$/i;
const TYPES = /\.d\.[cm]?ts$/i;

export interface UnpackOrder {
  /** The package's name, for errors. */
  name: string;
  tarball: Uint8Array;
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
export function unpackPackage(order: UnpackOrder): Unpacked | undefined {
  const { folder, maxFiles } = order;
  if (!matches(order.tarball, order.integrity)) return undefined;
  const archive = gunzip(order);
  try {
    const { files, folders } = findUsed(archive, maxFiles);
    mkdirSync(folder, { recursive: true });
    for (const path of folders) mkdirSync(join(folder, path));
    for (const { path, bytes } of files) writeFileSync(join(folder, path), bytes);
    return { bytes: archive.length, files: files.length + folders.size };
  } catch (error) {
    if (error instanceof TarError) throw refuse(order, error.message);
    const { code } = error as NodeJS.ErrnoException;
    // Two entries want to be a file and a folder, or a name is too long for the disk.
    if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST' || code === 'ENAMETOOLONG')
      throw refuse(order, 'is damaged');
    throw error;
  }
}

/**
 * The files that the compiler can use, and their folders, each after the one that it is in. All are counted before the
 * first is written: writing thousands takes seconds, and a short path can name hundreds of folders.
 */
function findUsed(archive: Buffer, maxFiles: number) {
  const files: Array<{ path: string; bytes: Uint8Array }> = [];
  const folders = new Set<string>();
  for (const { path, bytes } of readTar(archive, maxFiles)) {
    // The first folder is always there, usually named `package`.
    const inside = path.slice(path.indexOf('/') + 1);
    if (!path.includes('/') || !USED.test(inside) || TYPES.test(inside)) continue;
    files.push({ path: inside, bytes });
    if (!folders.has(dirname(inside)))
      for (let at = inside.indexOf('/'); at !== -1; at = inside.indexOf('/', at + 1))
        folders.add(inside.slice(0, at));
    if (files.length + folders.size > maxFiles) throw new TarError(tooMany());
  }
  return { files, folders };
}

/** True if a file has one of the SHA-512 hashes of a text such as `sha512-<base64>`. */
function matches(bytes: Uint8Array, integrity: string): boolean {
  const actual = createHash('sha512').update(bytes).digest('base64');
  return integrity.split(/\s+/).some((one) => one === `sha512-${actual}`);
}

/** Unpacks the bytes. Stops at the first byte that is too many. */
function gunzip(order: UnpackOrder): Buffer {
  try {
    return gunzipSync(order.tarball, { maxOutputLength: Math.max(1, order.maxBytes) });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw refuse(order, isTooLarge ? TOO_LARGE : 'is damaged');
  }
}

const tooMany = () =>
  `has too many files and folders, with the other packages of the function: they can have ${MAX_UNPACKED_FILES.toLocaleString('en')} together`;
const TOO_LARGE =
  'is too large, with the other packages of the function. Unpacked, they can have 64 MB together';

const refuse = ({ name, specifier }: UnpackOrder, why: string) =>
  new PackageError(`The package ${name} ${why}.`, false, specifier);
