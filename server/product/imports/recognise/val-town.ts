import { posix } from 'node:path';
import { MAX_CODE_BYTES } from '../../../../contract/functions/functions.ts';
import {
  isFunctionPath,
  isFunctionSlug,
  isSecretName,
  MAX_FUNCTION_FILES,
} from '../../../../contract/rules/function-names.ts';
import { toFunctionSlug } from '../../../../contract/rules/projects/worker-settings.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { readModules } from './modules.ts';
import type { FunctionPlan, ImportFile } from './plan.ts';
import { isHidden, readText, type Sorting } from './sorting.ts';

/** The vals of a Val Town project: what they are is in their names, such as main.http.tsx. */

type ValKind = 'http' | 'cron' | 'email' | 'script';
const VAL = /(?:^|\/)[^/]*?\.?(http|cron|email|script)\.[jt]sx?$/;
const MODULE = /\.[cm]?[jt]sx?$/;
/** Addresses of the libraries of Val Town. */
const STD = /https:\/\/esm\.town\/v\/[^"'`\s]{1,200}/g;
const PACKAGE =
  /https:\/\/(?:esm\.sh|cdn\.skypack\.dev|esm\.run|cdn\.jsdelivr\.net\/npm)\/((?:@[\w.~-]+\/)?[\w.~-]+(?:@[^/"'?\s*]+)?(?:\/[\w./@-]*)?)(?:\?[^"'\s*]*)?/g;
const OTHER = /(?:from|import)\s{0,20}\(?\s{0,20}["'](https?:\/\/[^"']{1,200}|jsr:[^"']{1,200})["']/g;
const RELATIVE = /(?:from|import)\s{0,20}\(?\s{0,20}["'](\.{1,2}\/[^"'\n]{1,200})["']/g;
const ENV = /Deno\.env\.get\(\s*["'](\w+)["']\s*\)|process\.env\.(\w+)/g;
/** The most functions of one import. Each has a copy of all modules that it uses, which takes memory. */
export const MAX_FUNCTIONS = 20;
/** A schedule in a comment, such as `// cron: 0 * * * *`. */
const CRON = /\bcron\b[^\n\d*]{0,20}((?:[\d*/,-]+ ){2}(?:[\w*/,-]+ ){2}[\w*/,-]+)/i;

/** Whether files are a Val Town project. */
export const isValTown = (sorting: Sorting): boolean =>
  sorting.open.some(({ path }) => !isHidden(path) && /\.(?:http|cron|email)\.[jt]sx?$/.test(path)) ||
  sorting.open.some(({ path }) => path.startsWith('.vt/'));

export function planValTown(sorting: Sorting, folderName: string): FunctionPlan[] {
  const modules = sorting.open.filter(
    ({ path, size }) =>
      !isHidden(path) && MODULE.test(path) && isFunctionPath(path) && size <= MAX_CODE_BYTES,
  );
  const vals = modules.flatMap((file) => {
    const kind = VAL.exec(file.path)?.[1] as ValKind | undefined;
    return kind ? [{ file, kind }] : [];
  });
  const runnable = vals.filter(({ kind }) => kind === 'http' || kind === 'cron');
  const functions: FunctionPlan[] = [];
  for (const { file, kind } of vals) {
    if (kind === 'email') sorting.leave(file, phrase('handles e-mail, which functions do not get'));
    else if (kind === 'script')
      sorting.leave(file, phrase('is a script that runs once: make it a function with a schedule'));
  }
  for (const { file, kind } of runnable) {
    if (functions.length >= MAX_FUNCTIONS) {
      sorting.leave(
        file,
        phrase('is one too many: an import makes at most {count} functions', { count: MAX_FUNCTIONS }),
      );
      continue;
    }
    const slug = makeSlug(folderName, file, runnable.length);
    const planned = planVal(sorting, { file, isCron: kind === 'cron', slug }, modules);
    if (planned) functions.push(planned);
  }
  return functions;
}

function makeSlug(folderName: string, { path }: ImportFile, count: number): string {
  const project = toFunctionSlug(folderName);
  const own = toFunctionSlug(path.replace(/\.?(?:http|cron)\.[jt]sx?$/, ''));
  const slug = count === 1 && project ? project : [project, own].filter(Boolean).join('-').slice(0, 90);
  return isFunctionSlug(slug) ? slug : 'val';
}

interface Val {
  file: ImportFile;
  isCron: boolean;
  slug: string;
}

function planVal(
  sorting: Sorting,
  { file, isCron, slug }: Val,
  modules: ImportFile[],
): FunctionPlan | undefined {
  const used = findUsed(file, modules);
  const read = readModules(sorting, file, used.slice(1), '');
  if (!read) return undefined;
  const texts = [read.code, ...Object.values(read.files ?? {})];
  const why = texts.map(findMissing).find((each) => each !== undefined);
  if (why) {
    sorting.leave(file, why);
    return undefined;
  }
  for (const each of used) sorting.take(each, 'code', slug);
  for (const name of findVariables(texts))
    sorting.leaveSetting(
      name,
      phrase('is a variable whose value is not among the files: set it as a secret of {slug}', { slug }),
    );
  const cron = isCron ? CRON.exec(texts[0] ?? '')?.[1] : undefined;
  if (isCron && cron === undefined)
    sorting.leaveSetting(
      file.path,
      phrase('does not say when it runs: set a schedule of the function {slug}', { slug }),
    );
  const files = Object.fromEntries(used.map(({ path }, at) => [path, toOwnImports(texts[at] ?? '')]));
  return {
    body: {
      slug,
      code: makeMain(file.path, isCron),
      files: { ...files, 'deno-env.ts': ENVIRONMENT },
      ...(cron !== undefined && { schedules: [{ cron }] }),
    },
    secrets: {},
    migrations: [],
    canBeRenamed: true,
  };
}

/** A module and those that it imports, directly or not, until they are too many for a function. */
function findUsed(main: ImportFile, modules: ImportFile[]): ImportFile[] {
  const byPath = new Map(modules.map((file) => [file.path, file]));
  const used = new Set([main]);
  let bytes = 0;
  for (const file of used) {
    bytes += file.size;
    if (bytes > MAX_CODE_BYTES || used.size > MAX_FUNCTION_FILES + 1) break;
    for (const [, target = ''] of (readText(file) ?? '').matchAll(RELATIVE)) {
      const found = byPath.get(posix.join(posix.dirname(file.path), target));
      if (found) used.add(found);
    }
  }
  return [...used];
}

/** What a module needs that is only at Val Town. */
function findMissing(text: string): Text | undefined {
  const [std] = text.match(STD) ?? [];
  if (std !== undefined) return explainStd(std);
  const others = [...text.replace(PACKAGE, 'npm:$1').matchAll(OTHER)].map(([, address = '']) => address);
  return others[0] === undefined
    ? undefined
    : phrase('imports {address}: functions import packages of npm and their own files', {
        address: others[0],
      });
}

function explainStd(address: string): Text {
  if (/\/std\/sqlite/.test(address))
    return phrase('uses {address}: give the function a database, and use env.DB', { address });
  if (/\/std\/blob/.test(address))
    return phrase(
      'uses {address}: keep the values in the database of the function, or in files of the page',
      {
        address,
      },
    );
  if (/\/std\/email/.test(address))
    return phrase('uses {address}: functions send e-mail with the API of a provider', { address });
  return phrase('uses {address}, which only exists at Val Town: copy what it needs into the project', {
    address,
  });
}

/** The text of a module, with packages imported from npm instead of from addresses. */
const toOwnImports = (text: string) => text.replace(PACKAGE, 'npm:$1');

function findVariables(texts: string[]): string[] {
  const names = texts.flatMap((text) => [...text.matchAll(ENV)].map(([, deno, node]) => deno ?? node ?? ''));
  return [...new Set(names)].filter(isSecretName).slice(0, 100);
}

/** A module that gives vals `Deno.env`. The variables in it are the secrets of the function. */
const ENVIRONMENT = `import { env } from 'cloudflare:workers';
(globalThis as any).Deno ??= { env: { get: (name: string) => (env as any)[name], toObject: () => ({ ...(env as any) }) } };
`;

/** The main module of a val: it gives the val's own function the form that functions have. */
function makeMain(path: string, isCron: boolean): string {
  const handler = isCron
    ? `export default {
  scheduled: (controller, env, context) => run({ lastRunAt: undefined, interval: controller }, env, context),
};`
    : 'export default { fetch: (request, env, context) => run(request, env, context) };';
  return `import './deno-env.ts';
import * as val from './${path}';
const main: any = (val as any).default ?? Object.values(val).find((each) => typeof each === 'function');
const run: any = typeof main === 'function' ? main : main.fetch.bind(main);
${handler}
`;
}
