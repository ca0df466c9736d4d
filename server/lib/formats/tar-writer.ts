/**
 * The part of tar (POSIX.1-2001) that our archives need: plain files, one after the other. Written here because archives
 * are streamed and never stored as a whole. Any tar can unpack them.
 */

export const BLOCK = 512;
/** The longest name in a header. */
const MAX_NAME_BYTES = 100;
/** The largest size in eleven octal digits; above it GNU tar's binary form is used. */
const MAX_OCTAL = 8 ** 11 - 1;

/** What follows the last file. */
export const TAR_END = new Uint8Array(2 * BLOCK);

interface TarHeader {
  name: string;
  size: number;
  modifiedAt: number;
  /** `0`, which is the default, for a file; `x` for what is known about the next one. */
  type?: '0' | 'x';
}

/** The header of a file with a name of any length: a long one comes in a record of its own before it. */
export function longTarHeader(file: Omit<TarHeader, 'type'>): Uint8Array {
  if (Buffer.byteLength(file.name) <= MAX_NAME_BYTES) return tarHeader(file);
  const record = paxRecord('path', file.name);
  const { modifiedAt } = file;
  return Buffer.concat([
    tarHeader({ name: 'long-name', size: record.length, modifiedAt, type: 'x' }),
    record,
    tarPadding(record.length),
    tarHeader({ ...file, name: 'long-name' }),
  ]);
}

/** A record begins with its own length, digits included. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  return Buffer.from(`${length}${rest}`);
}

/** The block before a file's bytes. */
export function tarHeader(file: TarHeader): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(file.name) > MAX_NAME_BYTES)
    throw new Error(`too long a name for the archive: ${file.name}`);
  block.write(file.name, 0);
  block.write('0000600\0', 100);
  block.write('0000000\0'.repeat(2), 108);
  if (file.size > MAX_OCTAL) {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(file.size), 128);
  } else block.write(`${file.size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(`${Math.floor(file.modifiedAt / 1000).toString(8)}\0`.padStart(12, '0'), 136);
  block.write(file.type ?? '0', 156);
  block.write('ustar\x0000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The padding of a file's last block. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The sum of a header's bytes, with spaces in place of the sum itself. */
export function checksum(block: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : (block[at] ?? 0);
  return sum;
}
