import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import type { PageFileList } from '../../../../../../contract/pages/files/files.ts';
import { normalizeFilePath } from '../../../../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILES } from '../../../../../../contract/rules/limits.ts';
import { badRequest } from '../../../../../lib/errors.ts';
import type { Api, Input } from '../definition.ts';
import { decodeBase64 } from '../results/read-bytes.ts';
import { readBase } from './base.ts';

/** Writes and deletes files of a page or of a draft in one step, and keeps the others. */
export async function writeFiles(input: Input, api: Api): Promise<Response> {
  const written = readFiles(input);
  const deleted = readPaths(input.delete);
  if (written.size + deleted.length === 0)
    throw badRequest([{ path: 'files', message: 'or delete is required' }]);
  const base = await readBase(input, api);
  if (base instanceof Response) return base;
  const listed = base.files ?? (await listFiles(base.params, api));
  if (listed instanceof Response) return listed;
  const missing = deleted.filter((path) => !listed.some((file) => file.path === path));
  if (missing.length > 0)
    throw badRequest(
      missing.map((path) => ({ path: 'delete', message: `names ${path}, which is not a file here` })),
    );
  const isKept = (path: string) => !written.has(path) && !deleted.includes(path);
  const form = new FormData();
  const keep = listed.filter(({ path }) => isKept(path)).map(({ path, hash }) => [path, hash]);
  form.set('keep', JSON.stringify(Object.fromEntries(keep)));
  for (const [path, bytes] of written) form.append('file', new Blob([bytes]), path);
  const endpoint = base.isDraft ? draftEndpoints.replaceDraftFiles : fileEndpoints.replacePageFiles;
  return api.request(endpoint, { params: base.params, query: base.query, body: form });
}

async function listFiles(params: { id: string }, api: Api): Promise<PageFileList['files'] | Response> {
  const response = await api.request(fileEndpoints.listPageFiles, { params });
  return response.ok ? ((await response.json()) as PageFileList).files : response;
}

/** The bytes to write, by normalized path. */
function readFiles({
  files = {},
  files_base64: others = {},
}: Input): Map<string, string | Uint8Array<ArrayBuffer>> {
  const texts = entries('files', files);
  const bytes = entries('files_base64', others).map(([path, text]) => {
    const decoded = decodeBase64(text);
    if (!decoded) throw badRequest([{ path: 'files_base64', message: 'must be base64' }]);
    return [path, decoded] as const;
  });
  const all = [...texts, ...bytes].map(([path, content]) => [normalizeFilePath(path), content] as const);
  if (new Set(all.map(([path]) => path)).size < all.length)
    throw badRequest([{ path: 'files', message: 'names a file twice' }]);
  return new Map(all);
}

function entries(argument: string, value: unknown): [string, string][] {
  const list =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const isFit = list.length <= MAX_PAGE_FILES && list.every(([, content]) => typeof content === 'string');
  if (isFit && (list.length > 0 || typeof value === 'object')) return list as [string, string][];
  throw badRequest([{ path: argument, message: 'must be an object of paths and texts' }]);
}

function readPaths(value: unknown = []): string[] {
  if (
    Array.isArray(value) &&
    value.length <= MAX_PAGE_FILES &&
    value.every((path) => typeof path === 'string')
  )
    return value.map(normalizeFilePath);
  throw badRequest([{ path: 'delete', message: 'must be a list of paths' }]);
}
