import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MAX_PAGE_FILES_BYTES } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import { readParts } from '../../../lib/formats/multipart.ts';
import { readTar, TarError } from '../../../lib/formats/tar-reader.ts';
import { readZip } from '../../../lib/formats/zip-reader.ts';
import type { ImportFile } from '../recognise/plan.ts';

/** Turns what was sent into files: an archive, a form with files, or one file. Runs in a thread. */

/** The most entries of an archive, or parts of a form. Most repositories have fewer. */
export const MAX_ENTRIES = 20_000;
/** The most bytes of an archive when it is unpacked. Sources and their build are often in one archive. */
export const MAX_UNPACKED_BYTES = 2 * MAX_PAGE_FILES_BYTES;

export interface Sent {
  /** The path of the body. */
  body: string;
  /** The boundary of a form. */
  boundary: string | undefined;
  /** The name of the file that was sent, if it is one. */
  name: string;
  /** A folder for what is unpacked. */
  folder: string;
}

export interface Opened {
  files: ImportFile[];
  /** The paths of links, which are never followed. */
  links: string[];
}

export async function openFiles({ body, boundary, name, folder }: Sent): Promise<Opened> {
  const bytes = mapFile(body);
  if (boundary !== undefined) return { files: openForm(bytes, boundary), links: [] };
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return openZip(bytes);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return openTar(mapFile(await gunzip(body, join(folder, 'tar'))));
  if (bytes.toString('latin1', 257, 262) === 'ustar') return openTar(bytes);
  return { files: [toFile(name || guessName(bytes), bytes)], links: [] };
}

/** The name of a file that came without one. */
const guessName = (bytes: Buffer) =>
  /^(?:\uFEFF)?\s*</.test(bytes.toString('utf8', 0, 200)) ? 'index.html' : 'file';

/** The bytes of a file, without reading it into memory: the system loads what is used, and drops it again. */
function mapFile(path: string): Buffer {
  const mapped = Bun.mmap(path, { shared: false });
  return Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength);
}

const toFile = (path: string, bytes: Uint8Array): ImportFile => ({
  path,
  size: bytes.byteLength,
  bytes: () => bytes,
});

function openForm(bytes: Buffer, boundary: string): ImportFile[] {
  return [...readParts(bytes, boundary, MAX_ENTRIES)].map((part) =>
    toFile(part.name === 'file' ? (part.filename ?? '') : part.name, part.bytes),
  );
}

function openZip(bytes: Buffer): Opened {
  const links: string[] = [];
  const entries = readZip(bytes, MAX_ENTRIES, (link) => links.push(link));
  assertTotal(entries.reduce((sum, { size }) => sum + size, 0));
  return { files: entries.map(({ name: path, size, read }) => ({ path, size, bytes: read })), links };
}

async function openTar(bytes: Buffer): Promise<Opened> {
  const links: string[] = [];
  const files: ImportFile[] = [];
  try {
    for await (const { path, size, offset } of readTar(toChunks(bytes), MAX_ENTRIES, (link) =>
      links.push(link),
    ))
      files.push(toFile(path, bytes.subarray(offset, offset + size)));
  } catch (error) {
    if (!(error instanceof TarError)) throw error;
    throw new AppError('BAD_REQUEST', 'The TAR archive {fault}. Make the archive again.', {
      fault: error.message,
    });
  }
  return { files, links };
}

async function* toChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Unpacks to a file, and stops at the first byte that is too much. */
async function gunzip(body: string, path: string): Promise<string> {
  let total = 0;
  async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      total += chunk.length;
      assertTotal(total);
      yield chunk;
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(createReadStream(body), createGunzip(), limited, file);
    return path;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new AppError('BAD_REQUEST', 'The archive is damaged. Make the archive again.');
  }
}

function assertTotal(bytes: number): void {
  if (bytes > MAX_UNPACKED_BYTES) throw tooLarge();
}

function tooLarge(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'What was sent has more than {max} bytes when it is unpacked. Send less, for example only what the build makes.',
    { max: MAX_UNPACKED_BYTES },
  );
}
