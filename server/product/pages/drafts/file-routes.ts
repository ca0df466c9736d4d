import { draftEndpoints } from '../../../../contract/pages/draft-endpoints.ts';
import { normalizeFilePath } from '../../../../contract/rules/file-paths.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { deleteDraftFile, readDraftFile, replaceDraftFiles, writeDraftFile } from './files.ts';
import type { DraftContext } from './find.ts';

/** Routes of the files of a draft, which change without a new version. */
export function draftFileRoutes(context: DraftContext): Route[] {
  return [
    ...changeRoutes(context),
    handle(draftEndpoints.replaceDraftFiles, ({ params, query, actor, request }) =>
      replaceDraftFiles(context, actor, { ...params, ...query }, request),
    ),
    handle(draftEndpoints.readDraftFile, ({ params, actor, request }) =>
      readDraftFile(context, actor, normalizeFile(params), request),
    ),
  ];
}

function changeRoutes(context: DraftContext): Route[] {
  return [
    handle(draftEndpoints.writeDraftFile, ({ params, query, actor, request }) =>
      writeDraftFile(context, actor, { ...normalizeFile(params), ...query }, request),
    ),
    handle(draftEndpoints.deleteDraftFile, ({ params, query, actor }) =>
      deleteDraftFile(context, actor, { ...normalizeFile(params), ...query }),
    ),
  ];
}

const normalizeFile = <Params extends { path: string }>(params: Params) => ({
  ...params,
  path: normalizeFilePath(params.path),
});
