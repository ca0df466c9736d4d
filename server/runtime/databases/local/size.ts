import { constants, type FileHandle, open } from 'node:fs/promises';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from '../../../lib/formats/sqlite-log.ts';
import { databaseFile, toFileName } from '../folder.ts';

/** A log is longer only after a statement that was undone. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
const MIN_PAGE_BYTES = 512;

/** The size of a database, from its files: neither its host nor SQLite is needed. Zero if it was never opened. */
export async function sizeOfDatabase(dataFolder: string, databaseId: number): Promise<number> {
  const file = databaseFile(dataFolder, toFileName(databaseId));
  const inLog = await read(`${file}-wal`, async (log) => {
    const { size } = await log.stat();
    if (size <= LOG_HEADER_BYTES || size > MAX_LOG_BYTES) return 0;
    const { buffer, bytesRead } = await log.read(Buffer.alloc(size), 0, size, 0);
    return sizeInLog(buffer.subarray(0, bytesRead));
  });
  return inLog || (await read(file, async (opened) => (await opened.stat()).size));
}

/** The size after the last transaction in the log; zero if it has none. What the file has may be older. */
function sizeInLog(log: Buffer): number {
  const pageBytes = log.readUInt32BE(8);
  if (pageBytes < MIN_PAGE_BYTES) return 0;
  const salts = log.subarray(16, 24);
  let pages = 0;
  for (
    let at = LOG_HEADER_BYTES;
    at + FRAME_HEADER_BYTES <= log.length;
    at += FRAME_HEADER_BYTES + pageBytes
  ) {
    // The rest is from before the log started over.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    // Only the last page of a transaction has the size.
    pages = log.readUInt32BE(at + 4) || pages;
  }
  return pages * pageBytes;
}

/** Reads a file of a running host. It never follows a link. */
async function read(path: string, use: (file: FileHandle) => Promise<number>): Promise<number> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? await use(file) : 0;
    } finally {
      await file.close();
    }
  } catch (error) {
    // The file does not exist, or is a link.
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}
