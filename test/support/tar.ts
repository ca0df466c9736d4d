import { gzipSync } from 'node:zlib';

/** An entry of a TAR archive, also one that no honest program would write. */
export interface TarItem {
  path: string;
  content?: string | Uint8Array;
  /** `0` is a file, `2` a symbolic link. */
  type?: string;
  link?: string;
  /** What the header says, if it is not true. */
  size?: number;
}

/** A gzipped TAR archive. */
export function tarball(items: TarItem[]): Buffer {
  return gzipSync(tar(items));
}

export function tar(items: TarItem[]): Buffer {
  return Buffer.concat([...items.flatMap(entry), Buffer.alloc(1024)]);
}

function entry({ path, content = '', type = '0', link = '', size }: TarItem): Buffer[] {
  const body = Buffer.from(content as string);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
