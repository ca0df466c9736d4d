import { fileEndpoints } from '../../../../contract/pages/files/file-endpoints.ts';
import { normalizeFilePath } from '../../../../contract/rules/file-paths.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { FilesContext } from './change.ts';
import { exportPage } from './export.ts';
import { downloadFile, readFiles } from './read.ts';
import { replaceFiles } from './replace.ts';
import { toFileList } from './wire.ts';
import { deleteFile, writeFile } from './write.ts';

/** Routes of the files of a page. */
export function fileRoutes(context: FilesContext): Route[] {
  return [...allFilesRoutes(context), ...oneFileRoutes(context)];
}

function allFilesRoutes(context: FilesContext): Route[] {
  return [
    handle(fileEndpoints.listPageFiles, async ({ params, query, actor }) =>
      toFileList((await readFiles(context, actor, params.id, query.version)).files),
    ),
    handle(fileEndpoints.replacePageFiles, ({ params, query, actor, request }) =>
      replaceFiles(context, actor, params.id, request, query.base_version),
    ),
    handle(fileEndpoints.exportPage, ({ params, actor }) => exportPage(context, actor, params.id)),
  ];
}

function oneFileRoutes(context: FilesContext): Route[] {
  return [
    handle(fileEndpoints.readPageFile, ({ params, query, actor, request }) =>
      downloadFile(context, actor, { ...normalizeFile(params), version: query.version }, request),
    ),
    handle(fileEndpoints.writePageFile, ({ params, query, actor, request }) =>
      writeFile(context, actor, { ...normalizeFile(params), baseVersion: query.base_version }, request),
    ),
    handle(fileEndpoints.deletePageFile, ({ params, query, actor }) =>
      deleteFile(context, actor, { ...normalizeFile(params), baseVersion: query.base_version }),
    ),
  ];
}

const normalizeFile = ({ id, path }: { id: number; path: string }) => ({ id, path: normalizeFilePath(path) });
