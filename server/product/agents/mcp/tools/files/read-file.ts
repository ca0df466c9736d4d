import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { INDEX_PATH } from '../../../../../../contract/rules/file-paths.ts';
import { badRequest } from '../../../../../lib/errors.ts';
import type { Api, Input, Outcome } from '../definition.ts';
import { readBytes } from '../results/read-bytes.ts';
import { assertTarget } from './base.ts';
import { readFunctionFile } from './function-files.ts';

/** Reads a file of a page, a draft or a function. */
export async function readFile(input: Input, api: Api): Promise<Response | Outcome> {
  assertTarget(input);
  const { id, slug, draft, version, path = INDEX_PATH } = input;
  if (slug !== undefined) return readFunctionFile(input, api);
  if (draft !== undefined && version !== undefined)
    throw badRequest([{ path: 'version', message: 'cannot be used with draft' }]);
  const response =
    draft === undefined
      ? await api.request(fileEndpoints.readPageFile, { params: { id, path }, query: versionQuery(version) })
      : await api.request(draftEndpoints.readDraftFile, { params: { id, draft, path } });
  return response.ok ? { data: await readBytes(response) } : response;
}

const versionQuery = (version: unknown) => (version === undefined ? {} : { version: String(version) });
