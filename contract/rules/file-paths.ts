import { byteLength, isStorable } from './text.ts';
import { phrase, type Text } from './texts/fill.ts';

/** The rules for the paths of a page's files. */

const MAX_FILE_PATH_BYTES = 1_000;
/** Bytes of one name in a path: the most that common file systems allow. */
const MAX_SEGMENT_BYTES = 255;

/** Names in a path. Limited because every folder of a path is compared with all other paths. */
const MAX_SEGMENTS = 50;

/** The document of the page itself: `html_content`, not a file beside it. */
export const INDEX_PATH = 'index.html';

/** The SHA-256 of a file's bytes, in hexadecimal. */
export const FILE_HASH = /^[0-9a-f]{64}$/;

/** What the service itself serves on a page's own host, and where others look for proofs about hosts of the service. */
const RESERVED =
  /^(?:~|mcp$|api\/(?:pages|functions)(?:\/|$)|\.well-known\/(?:acme-challenge|pki-validation|oauth-|openid-))/;

/** The only name with a dot at its beginning: other services look there for proofs and settings of a host. */
const WELL_KNOWN = '.well-known';

/** Whether the service serves this path itself, on every page's own host. */
export const isReservedPath = (path: string) => RESERVED.test(path);

/** Line breaks and characters that turn the direction of writing, which make a name look like another one. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * The path in the form that is stored: macOS writes é as two characters, other systems as one. A path that is too
 * long in every form stays as it is, because normalizing many marks on one letter takes quadratic time.
 */
export function normalizeFilePath(path: string): string {
  return path.length > 2 * MAX_FILE_PATH_BYTES ? path : path.normalize('NFC');
}

/** Why a normalized path cannot be the path of a file; undefined if it can. */
export function filePathFault(path: string): Text | undefined {
  if (path === '') return phrase('must not be empty');
  if (path.length > MAX_FILE_PATH_BYTES || byteLength(path) > MAX_FILE_PATH_BYTES)
    return phrase('must have at most {max} bytes', { max: MAX_FILE_PATH_BYTES });
  if (!isStorable(path) || CONTROL.test(path)) return phrase('must not contain control characters');
  if (path.includes('\\')) return phrase('must not contain a backslash; separate folders with /');
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return phrase('must be relative to the page');
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS)
    return phrase('must have at most {max} names between slashes', { max: MAX_SEGMENTS });
  for (const [at, segment] of segments.entries()) {
    if (segment === '') return phrase('must not have an empty segment');
    if (segment === '.' || segment === '..') return phrase('must not contain . or .. as a segment');
    if (segment.startsWith('.') && !(at === 0 && segments.length > 1 && segment === WELL_KNOWN))
      return phrase('must not have a name that starts with a dot ({name})', { name: segment });
    if (byteLength(segment) > MAX_SEGMENT_BYTES)
      return phrase('must not have a name of more than {max} bytes', { max: MAX_SEGMENT_BYTES });
  }
  const reserved = RESERVED.exec(path)?.[0];
  return reserved
    ? phrase('must not begin with {start}, which the service uses itself', { start: reserved })
    : undefined;
}

/** A path without upper and lower case: on many systems, paths that differ only in case are one file. */
function fold(path: string): string {
  return path.toLowerCase().normalize('NFC');
}

/** Why a path cannot exist next to others; undefined if it can. All are normalized. */
export function faultNextTo(path: string, others: Iterable<string>): Text | undefined {
  const folded = fold(path);
  for (const other of others) {
    const known = fold(other);
    if (known === folded) return faultOfSame(path, other);
    if (known.startsWith(`${folded}/`)) return faultOfFile(other);
    if (folded.startsWith(`${known}/`)) return faultOfFolder(other);
  }
  return undefined;
}

const faultOfSame = (path: string, other: string) =>
  path === other ? TWICE : phrase('differs from {other} only in upper and lower case', { other });
/** The fault of a path that was added before. */
export const TWICE = phrase('is there twice');
const faultOfFile = (inside: string) =>
  phrase('is a file, but {inside} needs a folder of that name', { inside });
const faultOfFolder = (file: string) => phrase('needs a folder where {file} is a file', { file });

/**
 * Finds paths that cannot exist next to each other: two that differ only in upper and lower case, and a file where
 * another path has a folder. Add paths one by one. For a single new path, use `faultNextTo`.
 */
export class FilePathSet {
  /** Folded paths of files, and of their folders, with a path as it was written. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  get size(): number {
    return this.#files.size;
  }

  /** Adds a normalized path. Returns why it cannot be added, or undefined. */
  add(path: string): Text | undefined {
    const folded = fold(path);
    const same = this.#files.get(folded);
    if (same !== undefined) return faultOfSame(path, same);
    const inside = this.#folders.get(folded);
    if (inside !== undefined) return faultOfFile(inside);
    for (let end = folded.indexOf('/'); end >= 0; end = folded.indexOf('/', end + 1)) {
      const file = this.#files.get(folded.slice(0, end));
      if (file !== undefined) return faultOfFolder(file);
    }
    this.#files.set(folded, path);
    for (let end = folded.indexOf('/'); end >= 0; end = folded.indexOf('/', end + 1)) {
      const folder = folded.slice(0, end);
      if (!this.#folders.has(folder)) this.#folders.set(folder, path);
    }
    return undefined;
  }
}
