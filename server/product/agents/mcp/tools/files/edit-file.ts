import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { INDEX_PATH } from '../../../../../../contract/rules/file-paths.ts';
import { isTextType } from '../../../../../../contract/rules/file-types.ts';
import { AppError } from '../../../../../lib/errors.ts';
import type { Api, Input } from '../definition.ts';
import { decodeText } from '../results/read-bytes.ts';
import { assertTarget, readBase } from './base.ts';
import { changeModule } from './function-files.ts';
import { replaceText } from './replace-text.ts';

/** Replaces text in a file of a page, a draft or a function, unless someone else changes it meanwhile. */
export async function editFile(input: Input, api: Api): Promise<Response> {
  assertTarget(input);
  if (input.slug !== undefined) return changeModule(input, api, (text) => replaceText(text, input));
  const base = await readBase(input, api);
  if (base instanceof Response) return base;
  const params = { ...base.params, path: String(input.path ?? INDEX_PATH) };
  const [read, write] = base.isDraft
    ? [draftEndpoints.readDraftFile, draftEndpoints.writeDraftFile]
    : [fileEndpoints.readPageFile, fileEndpoints.writePageFile];
  const found = await api.request(read, { params });
  if (!found.ok) return found;
  const type = found.headers.get('content-type') ?? '';
  const text = isTextType(type) ? decodeText(Buffer.from(await found.arrayBuffer())) : undefined;
  if (text === undefined)
    throw new AppError('BAD_REQUEST', '{path} is not text. Write it with write_files.', {
      path: params.path,
    });
  const body = replaceText(text, input);
  return api.request(write, { params, query: base.query, body, type: 'application/octet-stream' });
}
