import type { PageFileList } from '../../../../contract/pages/files/files.ts';
import type { PageFile } from '../../../../contract/pages/files/page-file.ts';
import { fileType } from '../../../../contract/rules/file-types.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type FileEntry, type Manifest, totalBytes } from './manifest.ts';

/** Files as the wire shapes of `contract/pages/files/files.ts`. */

export const toPageFile = (path: string, { hash, size, updatedAt }: FileEntry): PageFile => ({
  path,
  size,
  type: fileType(path),
  hash,
  updatedAt: toTimestamp(updatedAt),
});

export const toPageFiles = (files: Manifest): PageFile[] =>
  [...files].map(([path, entry]) => toPageFile(path, entry));

export const toFileList = (files: Manifest): PageFileList => ({
  files: toPageFiles(files),
  totalBytes: totalBytes(files),
});
