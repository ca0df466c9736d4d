import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import { isTextType } from '../../../../../../contract/rules/file-types.ts';
import { AppError } from '../../../../../lib/errors.ts';
import type { Api, Input } from '../definition.ts';
import { decodeText } from '../results/read-bytes.ts';
import { readBase } from './base.ts';
import { replaceText } from './replace-text.ts';

/** Replaces text in a file of a page or of a draft, unless someone else changes it meanwhile. */
export async function editFile(input: Input, api: Api): Promise<Response> {
  const base = await readBase(input, api);
  if (base instanceof Response) return base;
  const params = { ...base.params, path: String(input.path) };
  const [read, write] = base.isDraft
    ? [draftEndpoints.readDraftFile, draftEndpoints.writeDraftFile]
    : [fileEndpoints.readPageFile, fileEndpoints.writePageFile];
  const found = await api.request(read, { params });
  if (!found.ok) return found;
  const type = found.headers.get('content-type') ?? '';
  const text = isTextType(type) ? decodeText(Buffer.from(await found.arrayBuffer())) : undefined;
  if (text === undefined)
    throw new AppError('BAD_REQUEST', '{path} is not text. Write it with write_page_files.', {
      path: params.path,
    });
  const body = replaceText(text, input);
  return api.request(write, { params, query: base.query, body, type: 'application/octet-stream' });
}
