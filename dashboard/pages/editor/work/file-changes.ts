import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { affected, renamed } from '../../../editor/files/index.ts';
import { t } from '../../../texts/index.ts';
import type { FileSet, PageFile } from '../../files/api.ts';
import { faultOfFiles } from '../../files/check.ts';

/** Changes of a page's files as a whole: each makes the new set from the current one. */

type Files = ReadonlyMap<string, PageFile>;
export type FileChange = (files: Files) => FileSet;

const hashes = (files: Files) => new Map([...files].map(([path, { hash }]) => [path, hash]));

/** Adds files, and replaces those with the same path. */
export const adding =
  (sent: ReadonlyMap<string, Blob>): FileChange =>
  (files) => {
    const kept = hashes(files);
    for (const path of sent.keys()) kept.delete(path);
    return { kept, sent };
  };

export const removing =
  (path: string): FileChange =>
  (files) => {
    const kept = hashes(files);
    for (const each of affected(kept.keys(), path)) kept.delete(each);
    return { kept, sent: new Map() };
  };

export const renaming =
  (from: string, to: string): FileChange =>
  (files) => {
    const kept = new Map([...hashes(files)].map(([path, hash]) => [renamed(path, from, to), hash]));
    if (kept.size < files.size) throw new Error(t('There is already a file {path}.', { path: to }));
    return { kept, sent: new Map() };
  };

/** Why the service would not accept this set. */
export function faultOfChange({ kept, sent }: FileSet, files: Files): string | undefined {
  const sizeOf = new Map([...files.values()].map(({ hash, size }) => [hash, size]));
  const sizes = new Map([...kept].map(([path, hash]) => [path, sizeOf.get(hash) ?? 0]));
  for (const [path, bytes] of sent) if (path !== INDEX_PATH) sizes.set(path, bytes.size);
  return faultOfFiles(sizes);
}
