import { crc32, inflateRawSync } from 'node:zlib';
import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../errors.ts';

/** Reads ZIP archives that anyone may have made. Nothing that they say about themselves is trusted. */

const END_BYTES = 22;
const END_MARK = 0x06054b50;
const ENTRY_BYTES = 46;
const ENTRY_MARK = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_MARK = 0x04034b50;
const MAX_COMMENT = 0xffff;
const [STORED, DEFLATED] = [0, 8];
/** Encrypted, strongly encrypted, or with hidden headers. */
const ENCRYPTED_FLAGS = 0b0010_0000_0100_0001;
const MADE_ON_UNIX = 3;
const [FILE_KIND, FOLDER_KIND, KIND_BITS] = [0o100000, 0o040000, 0o170000];
/** The value that stands for a number in a ZIP64 record, which no archive this small needs. */
const [ZIP64_SHORT, ZIP64_LONG] = [0xffff, 0xffffffff];

interface ZipEntry {
  name: string;
  /** The size that the archive claims. Unpacking fails if it is not true. */
  size: number;
  /** Unpacks the bytes, and checks them. */
  read(): Uint8Array;
}

/**
 * The files of an archive, without folders. Nothing is unpacked yet. `onLink` gets the names of links and other special
 * files; without it, an archive with one is refused.
 */
export function readZip(
  bytes: Buffer,
  maxEntries: number,
  onLink: (name: string) => void = refuseLink,
): ZipEntry[] {
  const { count, start, size } = findDirectory(bytes);
  if (count > maxEntries)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      'The archive has {count} entries; at most {maxEntries} are allowed. Remove some.',
      { count, maxEntries },
    );
  const entries: ZipEntry[] = [];
  let packed = 0;
  let at = start;
  for (let number = 0; number < count; number++) {
    if (at + ENTRY_BYTES > start + size || bytes.readUInt32LE(at) !== ENTRY_MARK) throw damaged();
    const entry = readEntry(bytes, at);
    at += ENTRY_BYTES + entry.nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (at > start + size) throw damaged();
    packed += entry.packedSize;
    // Entries that share their bytes unpack to far more than the archive holds.
    if (packed > start) throw damaged();
    if (entry.isLink) onLink(entry.name);
    else if (!entry.name.endsWith('/')) entries.push({ ...entry, read: () => unpack(bytes, entry) });
  }
  if (at !== start + size) throw damaged();
  return entries;
}

/** The list of entries is at the end, before a record that says where. Only a comment follows that record. */
function findDirectory(bytes: Buffer): { count: number; start: number; size: number } {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= first; at--) {
    if (bytes.readUInt32LE(at) !== END_MARK) continue;
    if (at + END_BYTES + bytes.readUInt16LE(at + 20) !== bytes.length) continue;
    const [count, size, start] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 12),
      bytes.readUInt32LE(at + 16),
    ];
    if (count === ZIP64_SHORT || size === ZIP64_LONG || start === ZIP64_LONG)
      throw refused('The ZIP archive uses ZIP64. Make a plain one.');
    const isSplit = bytes.readUInt32LE(at + 4) !== 0 || bytes.readUInt16LE(at + 8) !== count;
    if (isSplit) throw refused('The ZIP archive is one part of several. Make a plain one.');
    if (start + size !== at) throw damaged();
    return { count, start, size };
  }
  throw new AppError(
    'BAD_REQUEST',
    'The body is not a ZIP archive, or its end is missing. Make the archive again.',
  );
}

type Listed = ReturnType<typeof readEntry>;

function readEntry(bytes: Buffer, at: number) {
  const nameBytes = bytes.readUInt16LE(at + 28);
  const rawName = bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
  const name = decodeName(rawName);
  const quoted = quote(name);
  const method = bytes.readUInt16LE(at + 10);
  const [packedSize, size, offset] = [
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 42),
  ];
  if ((bytes.readUInt16LE(at + 8) & ENCRYPTED_FLAGS) !== 0)
    throw refused('The ZIP archive is encrypted ({name}). Make a plain one.', { name: quoted });
  if ([packedSize, size, offset].includes(ZIP64_LONG))
    throw refused('The ZIP archive uses ZIP64 ({name}). Make a plain one.', { name: quoted });
  if (method !== STORED && method !== DEFLATED)
    throw refused('The ZIP archive packs {name} in a way that is not known here. Make a plain one.', {
      name: quoted,
    });
  const kind = bytes.readUInt8(at + 5) === MADE_ON_UNIX ? bytes.readUInt16LE(at + 40) & KIND_BITS : 0;
  const isLink = kind !== 0 && kind !== FILE_KIND && kind !== FOLDER_KIND;
  return {
    name,
    isLink,
    rawName,
    nameBytes,
    method,
    packedSize,
    size,
    offset,
    crc: bytes.readUInt32LE(at + 16),
  };
}

function refuseLink(name: string): never {
  throw refused('The ZIP archive has {name}, which is a link or another special file. Make a plain one.', {
    name: quote(name),
  });
}

/** Most programs write UTF-8, whether they say so or not. */
function decodeName(raw: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    throw refused('The ZIP archive has a file name that is not UTF-8. Make a plain one.');
  }
}

function unpack(bytes: Buffer, { name, rawName, method, packedSize, size, offset, crc }: Listed): Uint8Array {
  if (offset + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(offset) !== LOCAL_MARK) throw damaged(name);
  const nameEnd = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26);
  if (!bytes.subarray(offset + LOCAL_BYTES, nameEnd).equals(rawName)) throw damaged(name);
  const start = nameEnd + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + packedSize);
  if (packed.length !== packedSize) throw damaged(name);
  const whole = method === STORED ? packed : inflate(packed, size, name);
  if (whole.length !== size || crc32(whole) !== crc) throw damaged(name);
  return whole;
}

/** Stops at the first byte past the size that the archive claims. */
function inflate(packed: Buffer, size: number, name: string): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damaged(name, error);
  }
}

/** The start is enough to find the entry; a name can have 65,535 bytes. */
const quote = (name: string) => JSON.stringify(name.slice(0, 200));

function damaged(name?: string, cause?: unknown): AppError {
  return name === undefined
    ? new AppError('BAD_REQUEST', 'The ZIP archive is damaged. Make the archive again.', {}, { cause })
    : new AppError(
        'BAD_REQUEST',
        '{name} in the ZIP archive is damaged. Make the archive again.',
        { name: quote(name) },
        { cause },
      );
}

function refused(sentence: string, values?: TextValues): AppError {
  return new AppError('BAD_REQUEST', sentence, values);
}
