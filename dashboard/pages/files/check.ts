import { FilePathSet, filePathFault } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILE_BYTES, MAX_PAGE_FILES, MAX_PAGE_FILES_BYTES } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { formatBytes } from '../../ui/index.ts';

/**
 * Why a page cannot have these files, with their sizes by path; undefined if it can. The service checks the same, but
 * only after everything was sent.
 */
export function faultOfFiles(files: ReadonlyMap<string, number>): string | undefined {
  if (files.size > MAX_PAGE_FILES) return t('A page can have at most {max} files.', { max: MAX_PAGE_FILES });
  const paths = new FilePathSet();
  let total = 0;
  for (const [path, size] of files) {
    const fault = filePathFault(path) ?? paths.add(path);
    if (fault) return t('The path {path} {fault}.', { path, fault });
    if (size > MAX_PAGE_FILE_BYTES)
      return t('{path} has {size}. The limit for one file is {max}.', {
        path,
        size: formatBytes(size),
        max: formatBytes(MAX_PAGE_FILE_BYTES),
      });
    total += size;
  }
  if (total > MAX_PAGE_FILES_BYTES)
    return t('The files have {size} together. The limit for a page is {max}.', {
      size: formatBytes(total),
      max: formatBytes(MAX_PAGE_FILES_BYTES),
    });
  return undefined;
}
