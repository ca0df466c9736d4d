import { crc32, deflateRawSync } from 'node:zlib';

/** Makes ZIP archives, also wrong ones. */

export interface ZipPart {
  name: string | Uint8Array;
  content?: string | Uint8Array;
  /** Stored unless this is set. */
  deflate?: boolean;
  /** Fields of the headers that lie. */
  flags?: number;
  method?: number;
  size?: number;
  packedSize?: number;
  crc?: number;
  /** The file mode, as on Unix. */
  mode?: number;
  /** The name in the header before the bytes, if it differs. */
  localName?: string;
  offset?: number;
}

export function makeZip(parts: ZipPart[], changes: { count?: number; comment?: string } = {}): Buffer {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name as string);
    const content = Buffer.from((part.content ?? '') as string);
    const packed = part.deflate ? deflateRawSync(content) : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(part.flags ?? 0x0800, 2);
    common.writeUInt16LE(part.method ?? (part.deflate ? 8 : 0), 4);
    common.writeUInt32LE(part.crc ?? crc32(content), 10);
    common.writeUInt32LE(part.packedSize ?? packed.length, 14);
    common.writeUInt32LE(part.size ?? content.length, 18);
    const localName = Buffer.from(part.localName ?? name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, localName, packed]);
    local.writeUInt16LE(localName.length, 26);
    const entry = Buffer.concat([
      Buffer.from('PK\x01\x02\x14\x03', 'latin1'),
      common,
      Buffer.alloc(14),
      name,
    ]);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 38);
    entry.writeUInt32LE(part.offset ?? at, 42);
    directory.push(entry);
    chunks.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const comment = Buffer.from(changes.comment ?? '');
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(changes.count ?? parts.length % 65_536, 8);
  end.writeUInt16LE(changes.count ?? parts.length % 65_536, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...chunks, list, end, comment]);
}
