import { functionEndpoints } from '../../../../../../contract/functions/endpoints.ts';
import type { Code } from '../../../../../../contract/functions/functions.ts';
import { functionVersionEndpoints } from '../../../../../../contract/functions/version-endpoints.ts';
import { MAIN_MODULE } from '../../../../../../contract/rules/function-names.ts';
import { AppError } from '../../../../../lib/errors.ts';
import type { Api, Input, Outcome } from '../definition.ts';

/** The code and files of a function, or of one of its versions. */
type Modules = Pick<Code, 'code' | 'files' | 'version'>;

async function readModules({ slug, version }: Input, api: Api): Promise<Modules | Response> {
  const response =
    version === undefined
      ? await api.request(functionEndpoints.getFunctionCode, { params: { slug } })
      : await api.request(functionVersionEndpoints.getFunctionVersion, { params: { slug, version } });
  return response.ok ? ((await response.json()) as Modules) : response;
}

/** Finds a module of a function. Its main one has the name that error messages have for it. */
function findModule({ code, files }: Modules, path: unknown): string {
  const text = path === MAIN_MODULE ? code : Object.hasOwn(files, String(path)) && files[String(path)];
  if (typeof text === 'string') return text;
  throw new AppError('NOT_FOUND', 'The function has no file {path}. It has {files}.', {
    path: JSON.stringify(path),
    files: [MAIN_MODULE, ...Object.keys(files)].join(', '),
  });
}

/** Reads a module of a function, and the names of all of them. */
export async function readFunctionFile(input: Input, api: Api): Promise<Response | Outcome> {
  const modules = await readModules(input, api);
  if (modules instanceof Response) return modules;
  const content = findModule(modules, input.path ?? MAIN_MODULE);
  const files = [MAIN_MODULE, ...Object.keys(modules.files)];
  return { data: { version: modules.version, files, size: Buffer.byteLength(content), content } };
}

/** Deploys a function with other modules, unless someone else changes it meanwhile. */
export async function changeFunction(
  { slug, base_version: base }: Input,
  api: Api,
  change: (modules: Modules) => Pick<Modules, 'code' | 'files'>,
): Promise<Response> {
  const modules = await readModules({ slug }, api);
  if (modules instanceof Response) return modules;
  const json = { ...change(modules), baseVersion: base ?? modules.version };
  return api.request(functionEndpoints.updateFunction, { params: { slug }, json });
}

/** Changes the text of one module. */
export function changeModule(input: Input, api: Api, change: (text: string) => string): Promise<Response> {
  const { path = MAIN_MODULE } = input;
  return changeFunction(input, api, (modules) => {
    const text = change(findModule(modules, path));
    const { code, files } = modules;
    return path === MAIN_MODULE ? { code: text, files } : { code, files: { ...files, [String(path)]: text } };
  });
}
