import { fileEndpoints } from '../../../contract/pages/files/file-endpoints.ts';
import type { PageFile } from '../../../contract/pages/files/page-file.ts';
import { FilePathSet, filePathFault, normalizeFilePath } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILES } from '../../../contract/rules/limits.ts';
import type { Api } from '../../client/api.ts';
import { sayFault } from '../../project/files/say-fault.ts';
import { CommandError } from '../../usage.ts';

/** The files of a page on the server. */
export async function readFiles(api: Api, id: number, version?: number): Promise<PageFile[]> {
  const { files } = await api.call(fileEndpoints.listPageFiles, { params: { id }, query: { version } });
  assertPossible(files, api);
  return files;
}

/** A server can belong to anyone. The paths it names are written to this machine. */
function assertPossible(files: PageFile[], api: Api): void {
  if (files.length > MAX_PAGE_FILES)
    throw new CommandError(`${api.baseUrl} lists more files than a page can have.`);
  const paths = new FilePathSet();
  for (const { path } of files) {
    const fault =
      path === normalizeFilePath(path) ? (filePathFault(path) ?? paths.add(path)) : 'is not normalized';
    if (fault)
      throw new CommandError(
        `${api.baseUrl} lists a file that cannot be: ${JSON.stringify(path)} ${sayFault(fault)}.`,
      );
  }
}
