/** Writes ZIP archives of files whose size and checksum are known before their bytes. Nothing is compressed. */

const [ENTRY_BYTES, LOCAL_BYTES, END_BYTES] = [46, 30, 22];
/** The version of the format, and that names are UTF-8. */
const [VERSION, UTF8_NAMES] = [20, 0x0800];
const MADE_ON_UNIX = 3 << 8;
const FILE_MODE = 0o100644;

export interface ZipFile {
  path: string;
  size: number;
  crc32: number;
  updatedAt: number;
  bytes(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The size of the archive. */
export function zipSize(files: ZipFile[]): number {
  return files.reduce(
    (sum, { path, size }) => sum + LOCAL_BYTES + ENTRY_BYTES + 2 * Buffer.byteLength(path) + size,
    END_BYTES,
  );
}

/** The archive, a chunk at a time. Fails if a file has other bytes than it should, as far as their number goes. */
export async function* writeZip(files: ZipFile[]): AsyncGenerator<Uint8Array> {
  const entries: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const name = Buffer.from(file.path);
    const common = commonFields(file, name);
    entries.push(makeEntry(common, name, at));
    const local = Buffer.alloc(4);
    local.writeUInt32LE(0x04034b50);
    yield Buffer.concat([local, common, name]);
    let left = file.size;
    for await (const chunk of file.bytes()) {
      left -= chunk.byteLength;
      yield chunk;
    }
    if (left !== 0) throw new Error(`${file.path} does not have the size it should`);
    at += LOCAL_BYTES + name.length + file.size;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  yield directory;
  yield end;
}

/** What both headers of a file have in common: version, flags, method, time, checksum, sizes and name. */
function commonFields({ size, crc32, updatedAt }: ZipFile, name: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  const { date, time } = dosTime(new Date(updatedAt));
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(UTF8_NAMES, 2);
  fields.writeUInt16LE(time, 6);
  fields.writeUInt16LE(date, 8);
  fields.writeUInt32LE(crc32, 10);
  fields.writeUInt32LE(size, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function makeEntry(common: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x02014b50);
  head.writeUInt16LE(MADE_ON_UNIX | VERSION, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt16LE(FILE_MODE, 8);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, tail, name]);
}

/** A time in the archive's own calendar, in UTC. It begins in 1980 and has seconds in pairs. */
function dosTime(at: Date): { date: number; time: number } {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107);
  return {
    date: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}
