import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { fileEndpoints } from '../../../../../../contract/pages/files/file-endpoints.ts';
import type { PageFileList } from '../../../../../../contract/pages/files/files.ts';
import { normalizeFilePath } from '../../../../../../contract/rules/file-paths.ts';
import { MAIN_MODULE } from '../../../../../../contract/rules/function-names.ts';
import { MAX_PAGE_FILES } from '../../../../../../contract/rules/limits.ts';
import { badRequest } from '../../../../../lib/errors.ts';
import type { Api, Input } from '../definition.ts';
import { decodeBase64 } from '../results/read-bytes.ts';
import { assertTarget, readBase } from './base.ts';
import { changeFunction } from './function-files.ts';

type Bytes = string | Uint8Array<ArrayBuffer>;

/** Writes and deletes files of a page, a draft or a function in one step, and keeps the others. */
export async function writeFiles(input: Input, api: Api): Promise<Response> {
  assertTarget(input);
  const written = readFiles(input);
  const deleted = readPaths(input.delete);
  if (written.size + deleted.length === 0)
    throw badRequest([{ path: 'files', message: 'or delete is required' }]);
  return input.slug === undefined
    ? writePageFiles(input, { written, deleted }, api)
    : changeFunction(input, api, ({ files, ...rest }) => {
        assertListed(deleted, Object.keys(files));
        const kept = Object.entries(files).filter(([path]) => !deleted.includes(path));
        const texts = [...written].map(([path, content]) => [path, toModule(path, content)]);
        const { [MAIN_MODULE]: code = rest.code, ...others } = Object.fromEntries([...kept, ...texts]);
        return { code, files: others };
      });
}

interface Changes {
  written: Map<string, Bytes>;
  deleted: string[];
}

async function writePageFiles(input: Input, { written, deleted }: Changes, api: Api): Promise<Response> {
  const base = await readBase(input, api);
  if (base instanceof Response) return base;
  const listed = base.files ?? (await listFiles(base.params, api));
  if (listed instanceof Response) return listed;
  const paths = listed.map(({ path }) => path);
  assertListed(deleted, paths);
  const isKept = ({ path }: { path: string }) => !written.has(path) && !deleted.includes(path);
  const keep = Object.fromEntries(listed.filter(isKept).map(({ path, hash }) => [path, hash]));
  const endpoint = base.isDraft ? draftEndpoints.replaceDraftFiles : fileEndpoints.replacePageFiles;
  return api.request(endpoint, { params: base.params, query: base.query, body: toForm(written, keep) });
}

/** An upload of these files, which keeps others by their hash. */
export function toForm(written: Map<string, Bytes>, keep: Record<string, string>): FormData {
  const form = new FormData();
  form.set('keep', JSON.stringify(keep));
  for (const [path, bytes] of written) form.append('file', new Blob([bytes]), path);
  return form;
}

function assertListed(deleted: string[], listed: string[]): void {
  const missing = deleted.filter((path) => !listed.includes(path));
  if (missing.length > 0)
    throw badRequest(
      missing.map((path) => ({ path: 'delete', message: `names ${path}, which is not a file here` })),
    );
}

/** The text of a module. The API takes WebAssembly as Base64, and nothing else that is not text. */
function toModule(path: string, content: Bytes): string {
  if (typeof content === 'string') return content;
  if (path.endsWith('.wasm')) return Buffer.from(content).toString('base64');
  throw badRequest([{ path: 'files_base64', message: 'is only for .wasm files of a function' }]);
}

async function listFiles(params: { id: string }, api: Api): Promise<PageFileList['files'] | Response> {
  const response = await api.request(fileEndpoints.listPageFiles, { params });
  return response.ok ? ((await response.json()) as PageFileList).files : response;
}

/** The bytes to write, by normalized path. */
export function readFiles({ files = {}, files_base64: others = {} }: Input): Map<string, Bytes> {
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
