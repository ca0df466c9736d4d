import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTar, TarError } from '../../../lib/formats/tar-reader.ts';
import { PackageError } from './package-error.ts';

/** Of a package's files, the compiler can use these. The rest is neither written nor counted as files. */
const USED = /\.(?:[cm]?jsx?|[cm]?tsx?|json|txt|wasm)$/i;
const TYPES = /\.d\.[cm]?ts$/i;

export interface UnpackOrder {
  /** For errors. */
  name: string;
  tarball: Uint8Array;
  integrity: string;
  /** What the source says for the package that needs it. */
  specifier: string;
  /** Where its files go. */
  folder: string;
  /** What its files may still take up. */
  maxBytes: number;
  maxFiles: number;
}

export interface Unpacked {
  bytes: number;
  files: number;
}

/** Checks a package against its hash, and only then looks into it. Writes the files that the compiler can use. */
export function unpackPackage(order: UnpackOrder): Unpacked {
  const { folder, maxFiles } = order;
  if (!matches(order.tarball, order.integrity)) throw refuse(order, 'does not match its integrity hash');
  const archive = gunzip(order);
  const made = new Set<string>();
  let files = 0;
  try {
    for (const { path, bytes } of readTar(archive, maxFiles)) {
      // The first folder is always there, usually named `package`.
      const inside = path.slice(path.indexOf('/') + 1);
      if (!path.includes('/') || !USED.test(inside) || TYPES.test(inside)) continue;
      const target = join(folder, inside);
      const parent = dirname(target);
      if (!made.has(parent)) mkdirSync(parent, { recursive: true });
      made.add(parent);
      writeFileSync(target, bytes);
      files++;
    }
  } catch (error) {
    if (error instanceof TarError) throw refuse(order, error.message);
    const { code } = error as NodeJS.ErrnoException;
    // Two entries want to be a file and a folder, or a name is too long for the disk.
    if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST' || code === 'ENAMETOOLONG')
      throw refuse(order, 'is damaged');
    throw error;
  }
  return { bytes: archive.length, files };
}

/** True if a file has one of the SHA-512 hashes of a text such as `sha512-<base64>`. */
function matches(bytes: Uint8Array, integrity: string): boolean {
  const actual = createHash('sha512').update(bytes).digest('base64');
  return integrity.split(/\s+/).some((one) => one === `sha512-${actual}`);
}

/** Stops at the first byte that is too many. */
function gunzip(order: UnpackOrder): Buffer {
  try {
    return gunzipSync(order.tarball, { maxOutputLength: Math.max(1, order.maxBytes) });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw refuse(order, isTooLarge ? TOO_LARGE : 'is damaged');
  }
}

const TOO_LARGE =
  'is too large, with the other packages of the function. Unpacked, they can have 64 MB together';

const refuse = ({ name, specifier }: UnpackOrder, why: string) =>
  new PackageError(`The package ${name} ${why}.`, false, specifier);
