import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeZip, type ZipFile, zipSize } from '../../../contract/rules/projects/zip-writer.ts';
import { CommandError, EXIT } from '../../usage.ts';
import { writeWholeBy } from '../../whole-file.ts';

/** Where an export is written: a folder, or an archive if the name ends in .zip. */
interface ExportTarget {
  path: string;
  isArchive: boolean;
}

/** The most bytes of a ZIP archive without the extension for larger ones. */
const MAX_ARCHIVE_BYTES = 2 ** 32 - 1;

/** Fails if something is there already that the export would overwrite. */
export async function chooseTarget(wanted: string, isForced: boolean): Promise<ExportTarget> {
  const target = { path: resolve(wanted), isArchive: /\.zip$/i.test(wanted) };
  const found = await stat(target.path).catch(() => undefined);
  if (!found) return target;
  if (found.isDirectory() === target.isArchive)
    throw new CommandError(`${wanted} is ${target.isArchive ? 'a folder' : 'not a folder'}.`, EXIT.conflict);
  const isEmpty = !target.isArchive && (await readdir(target.path)).length === 0;
  if (isEmpty || isForced) return target;
  throw new CommandError(
    target.isArchive
      ? `${wanted} exists. Choose another file, or add --force to overwrite it.`
      : `${wanted} is not empty. Choose another folder, or add --force to replace an earlier export there.`,
    EXIT.conflict,
  );
}

/**
 * Runs `write` with an empty folder, and moves the result to the target when it is complete. If it fails, nothing is left.
 * In a folder that is there already, what the export has at its top (`site`, `functions`) is replaced as a whole, and the
 * rest stays.
 */
export async function writeExport<Result>(
  { path, isArchive }: ExportTarget,
  write: (folder: string) => Promise<Result>,
): Promise<Result> {
  // Beside the target, so that moving it there copies nothing.
  const unfinished = join(dirname(path), `.quire-export-${randomBytes(8).toString('hex')}`);
  await mkdir(dirname(path), { recursive: true });
  await mkdir(unfinished).catch((error: Error) => {
    throw new CommandError(`Cannot write ${path}: ${error.message}`);
  });
  try {
    const result = await write(unfinished);
    if (isArchive) await archive(unfinished, path);
    else await moveInto(unfinished, path);
    return result;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function moveInto(from: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(from)) {
    // A link is removed, not what it leads to.
    await rm(join(folder, name), { recursive: true, force: true });
    await rename(join(from, name), join(folder, name));
  }
}

/** Writes an archive with one folder, so that unpacking it does not mix files. */
async function archive(folder: string, file: string): Promise<void> {
  const top = basename(file).replace(/\.zip$/i, '');
  const files: ZipFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await stat(path);
    const inside = path.slice(join(folder, '/').length);
    files.push({
      path: `${top}/${inside}`,
      size,
      crc32: await checksum(path),
      updatedAt: mtimeMs,
      bytes: () => createReadStream(path),
    });
  }
  if (zipSize(files) > MAX_ARCHIVE_BYTES)
    throw new CommandError('The export is too large for an archive. Export it to a folder.');
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  await writeWholeBy(file, async (handle) => {
    for await (const chunk of writeZip(files)) await handle.appendFile(chunk);
  });
}

async function checksum(path: string): Promise<number> {
  let sum = 0;
  for await (const chunk of createReadStream(path)) sum = crc32(chunk, sum);
  return sum;
}
