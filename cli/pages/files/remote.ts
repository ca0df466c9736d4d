import { z } from 'zod';
import { PageFile } from '../../../contract/pages/page-file.ts';
import { FilePathSet, filePathFault, normalizeFilePath } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILES } from '../../../contract/rules/limits.ts';
import type { Api } from '../../client/api.ts';
import { CommandError } from '../../usage.ts';

export const RemoteFile = PageFile.pick({ path: true, size: true, hash: true });
export type RemoteFile = z.infer<typeof RemoteFile>;
const RemoteFiles = z.object({ files: z.array(RemoteFile) });

/** The files of a page on the server; undefined if the server is too old to have any. */
export async function readFiles(api: Api, id: number, version?: number): Promise<RemoteFile[] | undefined> {
  const query = version === undefined ? '' : `?version=${version}`;
  const list = await api.find(`/api/pages/${id}/files${query}`, RemoteFiles);
  if (list) assertPossible(list.files, api);
  return list?.files;
}

/** A server can belong to anyone. The paths it names are written to this machine. */
function assertPossible(files: RemoteFile[], api: Api): void {
  if (files.length > MAX_PAGE_FILES)
    throw new CommandError(`${api.baseUrl} lists more files than a page can have.`);
  const paths = new FilePathSet();
  for (const { path } of files) {
    const fault =
      path === normalizeFilePath(path) ? (filePathFault(path) ?? paths.add(path)) : 'is not normalized';
    if (fault)
      throw new CommandError(`${api.baseUrl} lists a file that cannot be: ${JSON.stringify(path)} ${fault}.`);
  }
}
