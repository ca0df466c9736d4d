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
  size: number;
  /** Where the content begins in the archive. */
  offset: number;
  /** Reads the content. To be called before the next entry is asked for, if at all. */
  read(): Promise<Buffer>;
}

/**
 * The files of an archive in its order, without folders. `onLink` gets the paths of links and devices; without it, an
 * archive with one is refused.
 */
export async function* readTar(
  archive: AsyncIterable<Uint8Array>,
  maxEntries: number,
  onLink: (path: string) => void = refuseLink,
): AsyncGenerator<TarEntry> {
  const source = new ByteSource(archive);
  let longName: string | undefined;
  let pax: Record<string, string> = {};
  for (let entries = 1; ; entries++) {
    const header = await source.read(BLOCK);
    if (header.length < BLOCK || header.equals(END)) return;
    assertChecksum(header);
    if (entries > maxEntries) throw new TarError(`has more than ${maxEntries.toLocaleString('en')} files`);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = pax.size === undefined ? readNumber(header.subarray(124, 136)) : Number(pax.size);
    if (!Number.isSafeInteger(size) || size < 0) throw damaged();
    const padding = Math.ceil(size / BLOCK) * BLOCK - size;
    if (type === PAX || type === PAX_GLOBAL || type === GNU_LONG_NAME) {
      if (size > MAX_HEADER_BYTES) throw damaged();
      const bytes = await source.readAll(size);
      if (type === PAX) pax = readPax(bytes);
      if (type === GNU_LONG_NAME) longName = readText(bytes);
      await source.skip(padding);
      continue;
    }
    const path = pax.path ?? longName ?? readName(header);
    pax = {};
    longName = undefined;
    const isLink = type !== FOLDER && type !== FILE && type !== OLD_FILE;
    if (isLink) onLink(path);
    let left = size;
    if (!isLink && type !== FOLDER && !path.endsWith('/')) {
      const read = () => {
        left = 0;
        return source.readAll(size);
      };
      yield { path: toSafePath(path), size, offset: source.position, read };
    }
    if ((await source.skip(left)) < left) throw damaged();
    await source.skip(padding);
  }
}

function refuseLink(path: string): never {
  throw new TarError(`has ${quote(path)}, which is a link or a device`);
}

/** Reads chunks in pieces of any length. */
class ByteSource {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private chunk: Buffer = Buffer.alloc(0);
  /** How many bytes were read. */
  position = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer at the end. */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    await this.take(length, (part) => parts.push(part));
    return Buffer.concat(parts);
  }

  async readAll(length: number): Promise<Buffer> {
    const bytes = await this.read(length);
    if (bytes.length < length) throw damaged();
    return bytes;
  }

  /** Returns how many bytes there were to skip. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    await this.take(length, (part) => {
      skipped += part.length;
    });
    return skipped;
  }

  private async take(length: number, onPart: (part: Buffer) => void): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.chunk.length === 0) {
        const next = await this.chunks.next();
        if (next.done) return;
        this.chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
      const part = this.chunk.subarray(0, left);
      this.chunk = this.chunk.subarray(part.length);
      left -= part.length;
      this.position += part.length;
      onPart(part);
    }
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
