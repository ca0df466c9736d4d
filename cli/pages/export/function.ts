import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseEndpoints } from '../../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { Code, FunctionDetail } from '../../../contract/functions/functions.ts';
import {
  DATABASE_NAME,
  isSecretName,
  MAIN_MODULE,
  PLATFORM,
} from '../../../contract/rules/function-names.ts';
import { MIGRATIONS_FOLDER } from '../../../contract/rules/projects/migrations.ts';
import { toWorkerCron } from '../../../contract/rules/projects/worker-crons.ts';
import {
  isBindingName,
  readWorkerSettings,
  WORKER_SETTINGS,
} from '../../../contract/rules/projects/worker-settings.ts';
import { type Api, ApiError } from '../../client/api.ts';
import { chooseMainName, toLocalFiles } from '../../project/function-source.ts';
import { writeInside } from '../../project/texts.ts';
import { parseSettings } from '../../project/worker.ts';
import { count } from '../../terminal/amounts.ts';
import { writeDatabase } from './database.ts';
import { Packages } from './packages.ts';
import type { ExportReport } from './report.ts';
import { noteFunctionUses } from './uses.ts';
import { type WorkerSettings, writeWranglerToml } from './wrangler.ts';

/** The folder of Workers in an export. */
const FUNCTIONS = 'functions';
const MIGRATION = 'migrations/0000_export.sql';
/** Files that are text for functions, but not for wrangler. */
const TEXT_ENDINGS = ['.css', '.md', '.svg'];
const WRANGLER = '^4.0.0';

/** What the functions of one export have in common. */
interface FunctionExports {
  api: Api;
  /** The folder of the whole export. */
  folder: string;
  report: ExportReport;
  /** The function with the dump of a database, by the functions that use the database. */
  dumped: Map<string, string>;
}

/** Writes a function as a Worker that wrangler runs. One that the caller does not own is only noted. */
export async function exportFunction(exports: FunctionExports, slug: string): Promise<void> {
  const { api, report } = exports;
  const params = { slug };
  const path = `${FUNCTIONS}/${slug}`;
  const detail = await api.find(functionEndpoints.getFunction, { params });
  if (!detail) return report.leave(path, 'does not exist, or belongs to somebody else.');
  if (detail.owner === PLATFORM) return report.leave(path, 'is a part of Quire.');
  const source = await api.call(functionEndpoints.getFunctionCode, { params }).catch((error: unknown) => {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  });
  if (!source) return report.leave(path, `belongs to ${detail.owner}, so you cannot export it.`);
  // The server could name another slug, and it becomes the name of a folder.
  await writeWorker(exports, { ...detail, slug }, source);
}

async function writeWorker(exports: FunctionExports, detail: FunctionDetail, source: Code): Promise<void> {
  const { api, folder, report } = exports;
  const { slug, hasDatabase, isPublic } = detail;
  const path = `${FUNCTIONS}/${slug}`;
  const own = readOwnSettings(source.files);
  const { files, main, endings, project, packages } = toModules(source);
  await mkdir(join(folder, path), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeInside(join(folder, path), name, text);
    noteFunctionUses(report, `${path}/${name}`, text);
  }
  const { secrets } = await api.call(functionEndpoints.listSecrets, { params: { slug } });
  const names = secrets
    .map(({ name }) => name)
    .filter((name) => isSecretName(name) && !Object.hasOwn(own.vars, name));
  const settings: WorkerSettings = {
    name: slug,
    main,
    vars: own.vars,
    secrets: names,
    database: hasDatabase ? await dumpDatabase(exports, slug, own.binding) : undefined,
    crons: takeSchedules(report, path, detail),
    textEndings: endings,
  };
  await writeInside(join(folder, path), 'wrangler.toml', writeWranglerToml(settings));
  const json = writePackageJson(project, packages, settings.database?.name);
  await writeInside(join(folder, path), 'package.json', json);
  for (const name of names)
    report.leave(path, `the secret ${name} has no value here. Set it: npx wrangler secret put ${name}`);
  for (const { collection } of detail.on ?? [])
    report.leave(path, `gets the changes of ${collection} here. Workers get no changes of records.`);
  if (!isPublic) report.leave(path, 'was private: only you could call it. A Worker is open to everyone.');
  if (hasDatabase && own.binding !== DATABASE_NAME && /\benv\.DB\b/.test(Object.values(files).join('\n')))
    report.leave(path, `uses env.DB, and the Worker has the database only as env.${own.binding}.`);
  report.take(`${path}/`, describe(settings));
}

const describe = ({ database, crons }: WorkerSettings) =>
  [
    'a Worker',
    ...(database ? ['with its database as SQL'] : []),
    ...(crons.length > 0 ? [`with ${count(crons.length, 'schedule')}`] : []),
  ].join(', ');

/** The server has read the settings too, so they have this shape. */
interface GivenSettings {
  d1_databases?: Array<{ binding?: unknown }>;
}

/** The settings with which the function came as a Worker, if it did. */
function readOwnSettings(files: Code['files']): { binding: string; vars: Record<string, string> } {
  const file = WORKER_SETTINGS.find((name) => Object.hasOwn(files, name));
  if (file === undefined) return { binding: DATABASE_NAME, vars: {} };
  const settings = parseSettings(file, files[file] ?? '');
  const binding = (settings as GivenSettings).d1_databases?.[0]?.binding;
  return {
    binding: isBindingName(binding) ? binding : DATABASE_NAME,
    vars: readWorkerSettings(settings).vars,
  };
}

/** The modules of a function as those of a Worker: in `src`, with the versions of packages in `package.json`. */
function toModules({ code, files }: Code) {
  const { 'package.json': given, ...others } = files;
  const texts = [code, ...Object.values(others)];
  // The dump of the database says which migrations it has, so they go along only if a module imports them.
  const isDumped = (path: string) =>
    path.startsWith(MIGRATIONS_FOLDER) && !texts.some((text) => text.includes(path));
  const modules = Object.entries(others).filter(
    ([path]) => !WORKER_SETTINGS.some((name) => name === path) && !isDumped(path),
  );
  // Other modules import the main one by this name.
  const isNamed = modules.some(([, text]) => text.includes(`/${MAIN_MODULE}`));
  const main = isNamed ? MAIN_MODULE : chooseMainName('index', code, others);
  const project = parsePackageJson(given);
  const packages = new Packages({ ...project.devDependencies, ...project.dependencies });
  const local = toLocalFiles(main, code, Object.fromEntries(modules));
  const rewritten = Object.entries(local).map(([path, text]): [string, string] => [
    `src/${path}`,
    /\.wasm$/i.test(path) ? text : packages.rewrite(text),
  ]);
  return {
    main: `src/${main}`,
    files: Object.fromEntries(rewritten),
    project,
    packages: packages.dependencies,
    endings: TEXT_ENDINGS.filter((ending) => modules.some(([path]) => path.endsWith(ending))),
  };
}

interface PackageJson {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

/** The server has read it, so it is an object. */
const parsePackageJson = (text: string | undefined): PackageJson =>
  text === undefined ? {} : (JSON.parse(text) as PackageJson);

function writePackageJson(
  given: PackageJson,
  packages: Record<string, string>,
  database: string | undefined,
): string {
  const { wrangler = WRANGLER, ...devDependencies } = given.devDependencies ?? {};
  const isDev = (name: string) =>
    Object.hasOwn(devDependencies, name) && !Object.hasOwn(given.dependencies ?? {}, name);
  const json = {
    private: true,
    type: 'module',
    ...given,
    scripts: {
      ...given.scripts,
      dev: 'wrangler dev',
      deploy: 'wrangler deploy',
      ...(database !== undefined && { migrate: `wrangler d1 migrations apply ${database}` }),
    },
    dependencies: Object.fromEntries(
      Object.entries(packages).filter(([name]) => name !== 'wrangler' && !isDev(name)),
    ),
    devDependencies: { ...devDependencies, wrangler },
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Writes a database once, also if several functions use it. */
async function dumpDatabase({ api, folder, dumped }: FunctionExports, slug: string, binding: string) {
  const { usedBy } = await api.call(databaseEndpoints.getDatabase, { params: { slug } });
  const first = dumped.get(slug);
  if (first !== undefined) return { binding, name: first, migrations: `../${first}/migrations` };
  for (const each of usedBy) dumped.set(each, slug);
  await mkdir(join(folder, FUNCTIONS, slug, 'migrations'), { recursive: true });
  await writeDatabase(api, slug, join(folder, FUNCTIONS, slug, MIGRATION));
  return { binding, name: slug, migrations: 'migrations' };
}

/** The schedules as crons of a Worker, which are in UTC. */
function takeSchedules(report: ExportReport, path: string, { schedules = [] }: FunctionDetail): string[] {
  const isUtc = ({ timezone }: { timezone: string }) => /^(?:Etc\/)?UTC$/i.test(timezone);
  for (const { cron, timezone } of schedules.filter((each) => !isUtc(each)))
    report.leave(
      path,
      `the schedule "${cron}" is in ${timezone}, and Workers have UTC. Add it to crons in wrangler.toml.`,
    );
  return schedules.filter(isUtc).map(({ cron }) => toWorkerCron(cron));
}
