import { FilePathSet, filePathFault } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILE_BYTES, MAX_PAGE_FILES, MAX_PAGE_FILES_BYTES } from '../../../contract/rules/limits.ts';
import { formatBytes, formatNumber } from '../../ui/index.ts';

/**
 * Why a page cannot have these files, with their sizes by path; undefined if it can. The service checks the same, but
 * only after everything was sent.
 */
export function faultOfFiles(files: ReadonlyMap<string, number>): string | undefined {
  if (files.size > MAX_PAGE_FILES) return `A page can have at most ${formatNumber(MAX_PAGE_FILES)} files.`;
  const paths = new FilePathSet();
  let total = 0;
  for (const [path, size] of files) {
    const fault = filePathFault(path) ?? paths.add(path);
    if (fault) return `The path ${path} ${fault}.`;
    if (size > MAX_PAGE_FILE_BYTES)
      return `${path} has ${formatBytes(size)}. The limit for one file is ${formatBytes(MAX_PAGE_FILE_BYTES)}.`;
    total += size;
  }
  if (total > MAX_PAGE_FILES_BYTES)
    return `The files have ${formatBytes(total)} together. The limit for a page is ${formatBytes(MAX_PAGE_FILES_BYTES)}.`;
  return undefined;
}
