import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../../../cli/usage.ts';
import { readTarStream } from '../../lib/formats/tar-stream.ts';

const MAX_ENTRIES = 5_000;
const MAX_BYTES = 4 * 1024 ** 3;

interface TarEntry {
  path: string;
  isFolder: boolean;
  isProgram: boolean;
  size: number;
}

/**
 * Unpacks a release into a folder. It may contain files and folders below the folder with the release's name, and nothing
 * else: no links, no absolute paths and no `..`.
 */
export async function unpack(
  archive: string,
  name: string,
  into: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const write = (chunks: AsyncIterable<Buffer>) => readEntries(chunks, name, into);
    await pipeline(createReadStream(archive), createGunzip(), write, { ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw new CommandError('Stopped.', 130);
    if (error instanceof CommandError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw new CommandError('The disk is full: there is no space for the new version.');
    if (code.startsWith('Z_') || code === 'EEXIST') throw broken(message);
    throw error;
  }
}

async function readEntries(chunks: AsyncIterable<Uint8Array>, name: string, into: string): Promise<void> {
  let [count, total] = [0, 0];
  const entries = readTarStream(chunks, {
    parse: (header) => readHeader(header, name),
    truncated: () => broken('it ends too early'),
  });
  // To the end of the stream, where zlib checks that nothing is missing or changed.
  for await (const { entry, bytes } of entries) {
    total += entry.size;
    if (count++ >= MAX_ENTRIES || total > MAX_BYTES) throw broken('it is too large');
    await write(entry, bytes, into);
  }
  if (total === 0) throw broken('it is empty');
}

async function write(entry: TarEntry, bytes: AsyncIterable<Uint8Array>, into: string): Promise<void> {
  const path = join(into, entry.path);
  await mkdir(entry.isFolder ? path : dirname(path), { recursive: true, mode: 0o755 });
  // Two files with the same path are refused. A folder has no bytes.
  const file = entry.isFolder ? undefined : await open(path, 'wx', entry.isProgram ? 0o755 : 0o644);
  try {
    for await (const chunk of bytes) await file?.writeFile(chunk);
  } finally {
    await file?.close();
  }
}

/** The fields of a header in the ustar format. */
function readHeader(header: Buffer, name: string): TarEntry {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const octal = (from: number, to: number) => Number.parseInt(text(from, to).trim() || '0', 8);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== octal(148, 156)) throw broken('a header is damaged');
  const type = text(156, 157) || '0';
  const path = [text(345, 500), text(0, 100)].filter(Boolean).join('/').replace(/\/$/, '');
  if (type !== '0' && type !== '5') throw broken(`${path} is neither a file nor a folder`);
  const [first, ...rest] = path.split('/');
  const isPlain = (part: string) => !['', '.', '..'].includes(part) && !/\p{Cc}/u.test(part);
  if (first !== name || !rest.every(isPlain)) throw broken(`${path} is outside of ${name}`);
  const size = type === '5' ? 0 : octal(124, 136);
  if (!(size >= 0)) throw broken('a header is damaged');
  return { path, isFolder: type === '5', isProgram: (octal(100, 108) & 0o111) !== 0, size };
}

const broken = (why: string) => new CommandError(`The archive is broken: ${why}. Download it again.`);
