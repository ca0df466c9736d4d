import { basename, join, relative, resolve, sep } from 'node:path';
import type { Left } from '../../contract/imports/imports.ts';
import { UPLOAD_LIMIT } from '../../contract/pages/files/files.ts';
import { findOutput } from '../project/build.ts';
import { readIgnoreRules } from '../project/files/ignore.ts';
import { MAX_COUNTED } from '../project/files/limits.ts';
import { hashFile } from '../project/files/read.ts';
import { type LocalFile, look, walk } from '../project/files/scan.ts';
import { saySize } from '../terminal/amounts.ts';
import { CommandError } from '../usage.ts';

/** A folder to import. */
interface Packed {
  name: string;
  files: LocalFile[];
  /** What is not sent. */
  left: Left[];
}

/** Finds what to send of a folder: everything that its rules do not leave out, and what a build has made. */
export async function packFolder(folder: string): Promise<Packed> {
  const packed: Packed = { name: basename(resolve(folder)), files: [], left: [] };
  await add(folder, '', packed);
  const output = await findOutput(folder);
  const under = output === undefined ? '' : relative(folder, output).split(sep).join('/');
  // Some programs build into a folder whose name starts with a dot.
  if (output !== undefined && /(?:^|\/)\./.test(under)) await add(output, `${under}/`, packed);
  const bytes = packed.files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > UPLOAD_LIMIT || packed.files.length > MAX_COUNTED)
    throw new CommandError(
      `${folder} has ${packed.files.length.toLocaleString('en')} files with ${saySize(bytes)}, which is too much. Import the folder that the build makes, or name what does not belong to it in .quireignore.`,
    );
  return packed;
}

async function add(folder: string, under: string, { files, left }: Packed): Promise<void> {
  const ignores = await readIgnoreRules(folder);
  const onLeft = (path: string, why: string) => left.push({ path: under + path, why: `is not sent: ${why}` });
  for await (const { path, file, isLink } of walk(folder, ignores, { onLeft })) {
    const { fault } = await look(folder, file, isLink, ignores);
    if (fault !== undefined) onLeft(path, fault);
    else files.push({ path: under + path, file, ...(await hashFile(file)) });
    if (files.length > MAX_COUNTED) return;
  }
}

/** One file, which is sent as it is. */
export const packFile = async (path: string): Promise<LocalFile> => ({
  path: basename(path),
  file: join(path),
  ...(await hashFile(path)),
});
