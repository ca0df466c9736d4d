/** Reads TAR archives that anyone may have made. Nothing that they say about themselves is trusted. */

const BLOCK = 512;
const END = Buffer.alloc(BLOCK);
const MAX_PATH_BYTES = 500;
const MAX_HEADER_BYTES = 64 * 1024;
const [FILE, OLD_FILE, FOLDER, PAX, PAX_GLOBAL, GNU_LONG_NAME] = ['0', '\0', '5', 'x', 'g', 'L'];

/** Thrown if an archive is damaged or has something that it should not have. */
export class TarError extends Error {}

interface TarEntry {
  /** Relative, without `.` and `..`. */
  path: string;
  bytes: Uint8Array;
}

/** The files of an archive in its order, without folders. Throws at the first thing that is not a file or a folder. */
export function* readTar(archive: Buffer, maxEntries: number): Generator<TarEntry> {
  let longName: string | undefined;
  let pax: Record<string, string> = {};
  let entries = 0;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.equals(END)) return;
    assertChecksum(header);
    if (++entries > maxEntries) throw new TarError(`has more than ${maxEntries.toLocaleString('en')} files`);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = pax.size === undefined ? readNumber(header.subarray(124, 136)) : Number(pax.size);
    const end = at + BLOCK + size;
    if (!Number.isSafeInteger(size) || size < 0 || end > archive.length) throw damaged();
    const bytes = archive.subarray(at + BLOCK, end);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === PAX || type === PAX_GLOBAL || type === GNU_LONG_NAME) {
      if (size > MAX_HEADER_BYTES) throw damaged();
      if (type === PAX) pax = readPax(bytes);
      if (type === GNU_LONG_NAME) longName = readText(bytes);
      continue;
    }
    const path = pax.path ?? longName ?? readName(header);
    pax = {};
    longName = undefined;
    if (type === FOLDER) continue;
    if (type !== FILE && type !== OLD_FILE)
      throw new TarError(`has ${quote(path)}, which is a link or a device`);
    if (path.endsWith('/')) continue;
    yield { path: toSafePath(path), bytes };
  }
}

function assertChecksum(header: Buffer): void {
  let sum = 8 * 0x20;
  // A package can have thousands of headers, and an iterator takes ten times as long.
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0;
  if (readNumber(header.subarray(148, 156)) !== sum) throw damaged();
}

/** Octal digits; sizes over 8 GB, which have another form, are never right here. */
function readNumber(field: Buffer): number {
  const text = readText(field).trim();
  if (!/^[0-7]*$/.test(text)) throw damaged();
  return Number.parseInt(text || '0', 8);
}

function readText(field: Uint8Array): string {
  const end = field.indexOf(0);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      end === -1 ? field : field.subarray(0, end),
    );
  } catch {
    throw new TarError('has a file name that is not UTF-8');
  }
}

function readName(header: Buffer): string {
  const prefix = readText(header.subarray(257, 263)).startsWith('ustar')
    ? readText(header.subarray(345, 500))
    : '';
  const name = readText(header.subarray(0, 100));
  return prefix ? `${prefix}/${name}` : name;
}

/** Records of the form `<length> <key>=<value>\n`. */
function readPax(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space === -1 ? at : space).toString());
    if (!Number.isSafeInteger(length) || length < 5 || at + length > bytes.length) throw damaged();
    const record = readText(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (key === 'path' || key === 'size') found[key] = record.slice(equals + 1);
    at += length;
  }
  if (found.size !== undefined && !/^\d{1,15}$/.test(found.size)) throw damaged();
  return found;
}

function toSafePath(path: string): string {
  // `package/./dist/index.js` is what some tools write.
  const parts = path.split('/').filter((part) => part !== '.');
  const isUnsafe =
    parts.length === 0 || parts.some((part) => part === '' || part === '..') || /[\\\0]/.test(path);
  if (isUnsafe || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new TarError(`has a file with the path ${quote(path)}`);
  return parts.join('/');
}

const quote = (path: string) => JSON.stringify(path.slice(0, 200));
const damaged = () => new TarError('is damaged');
