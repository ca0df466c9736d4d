import { posix } from 'node:path';
import { MAX_CODE_BYTES } from '../../../../contract/functions/functions.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { isFunctionPath, isFunctionSlug } from '../../../../contract/rules/function-names.ts';
import { toMigrationFiles } from '../../../../contract/rules/projects/migrations.ts';
import {
  isShortEnough,
  MAX_WORKER_SETTINGS,
  readWorkerSettings,
  toFunctionSlug,
  WORKER_SETTINGS,
  type WorkerPlan,
} from '../../../../contract/rules/projects/worker-settings.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { findProjectFiles, readModules } from './modules.ts';
import type { FunctionPlan, ImportFile, PagePlan } from './plan.ts';
import { planSite } from './site.ts';
import { readText, type Sorting } from './sorting.ts';

/** The most bytes of all migrations: they are in memory until they have run. */
export const MAX_MIGRATION_BYTES = 16 * 1024 * 1024;

/** The settings of a Worker, if there are any. */
export const findWorkerFile = (sorting: Sorting): ImportFile | undefined =>
  WORKER_SETTINGS.map((name) => sorting.find(name)).find((file) => file !== undefined);

/** A Worker: its main module becomes a function with a database, and its static files a page. */
export function planWorker(
  sorting: Sorting,
  settingsFile: ImportFile,
  folderName: string,
): { page: PagePlan | undefined; functions: FunctionPlan[] } {
  const settings = parseSettings(settingsFile);
  if (!settings) {
    sorting.leave(settingsFile, phrase('cannot be read, or has more than 64 KB or 2,000 settings'));
    return { page: undefined, functions: [] };
  }
  const worker = readWorkerSettings(settings);
  const slug = worker.slug || toFunctionSlug(folderName);
  for (const what of worker.left)
    sorting.leaveSetting(settingsFile.path, phrase('has what functions do not have: {what}', { what }));
  const deployed = planFunction(sorting, settingsFile, worker, isFunctionSlug(slug) ? slug : 'worker');
  const page = planAssets(sorting, worker, folderName);
  if (page && deployed)
    sorting.leaveSetting(
      settingsFile.path,
      phrase(
        'lets the site and the Worker share one address: here, the page calls the function at /api/functions/{slug}',
        { slug: deployed.body.slug },
      ),
    );
  if (!deployed && !page) sorting.leave(settingsFile, phrase('names nothing that can be published'));
  else sorting.take(settingsFile, 'settings');
  return { page, functions: deployed ? [deployed] : [] };
}

function parseSettings(file: ImportFile): Record<string, unknown> | undefined {
  const text = file.size > MAX_WORKER_SETTINGS ? undefined : readText(file);
  if (text === undefined || !isShortEnough(text)) return undefined;
  try {
    const parsed: unknown = file.path.endsWith('.toml') ? Bun.TOML.parse(text) : Bun.JSONC.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function planFunction(
  sorting: Sorting,
  settingsFile: ImportFile,
  worker: WorkerPlan,
  slug: string,
): FunctionPlan | undefined {
  if (worker.main === undefined) return undefined;
  const path = posix.normalize(worker.main);
  const main = sorting.find(path);
  if (!main) {
    sorting.leaveSetting(
      settingsFile.path,
      phrase('names the main module {path}, which is not among the files: build it, and import it too', {
        path,
      }),
    );
    return undefined;
  }
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const modules = findModules(sorting, main, folder);
  const read = readModules(sorting, main, modules, folder);
  if (!read) return undefined;
  const beside = findProjectFiles(sorting, main, { ...read.files, [main.path]: read.code });
  for (const file of [main, ...modules, ...beside]) sorting.take(file, 'code', slug);
  const { hasDatabase, crons, vars } = worker;
  const texts = [...beside, settingsFile].map((file) => [file.path, readText(file) ?? '']);
  // The settings are among the files, so that the server knows the names of bindings.
  const files: Record<string, string> = { ...read.files, ...Object.fromEntries(texts) };
  const migrations = hasDatabase ? takeMigrations(sorting, worker.migrations, slug) : [];
  return {
    body: {
      slug,
      code: read.code,
      files: { ...files, ...toMigrationFiles(migrations, { code: read.code, files }, MAX_CODE_BYTES) },
      ...(hasDatabase && { enableDatabase: true }),
      ...(crons.length > 0 && { schedules: crons.map((cron) => ({ cron })) }),
    },
    secrets: vars,
    migrations,
    canBeRenamed: true,
  };
}

/** All modules in the folder of the main one and below, as `quire functions push` sends them. */
function findModules(sorting: Sorting, main: ImportFile, folder: string): ImportFile[] {
  const isSettings = (path: string) => folder === '' && (WORKER_SETTINGS as readonly string[]).includes(path);
  return sorting.open.filter(
    (file) =>
      file !== main &&
      file.path.startsWith(folder) &&
      isFunctionPath(file.path.slice(folder.length)) &&
      // With the main module at the top, everything is below it.
      !(folder === '' && isBesideCode(file.path)) &&
      !isSettings(file.path),
  );
}

/** Whether a file at the top of a project, or in one of its usual folders, is not a module. */
const isBesideCode = (path: string) =>
  /^(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|[^/]*\.md|migrations\/.*|(?:public|dist|assets|static|test|tests)\/.*)$/i.test(
    path,
  );

function takeMigrations(sorting: Sorting, folder: string, slug: string): FunctionPlan['migrations'] {
  const start = `${posix.normalize(folder).replace(/\/+$/, '')}/`;
  const files = sorting.open
    .filter(({ path }) => path.startsWith(start) && /^[^/]+\.sql$/.test(path.slice(start.length)))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const found: FunctionPlan['migrations'] = [];
  let bytes = 0;
  for (const file of files) {
    bytes += file.size;
    // Later ones need this one, so they are left too.
    if (bytes > MAX_MIGRATION_BYTES) {
      sorting.leave(
        file,
        phrase('does not fit: migrations can have at most {max} bytes together', {
          max: MAX_MIGRATION_BYTES,
        }),
      );
      continue;
    }
    const sql = readText(file);
    if (sql === undefined) {
      sorting.leave(file, phrase('is not text in UTF-8'));
      continue;
    }
    sorting.take(file, 'migration', slug);
    found.push({ name: file.path.slice(start.length), sql });
  }
  return found;
}

function planAssets(
  sorting: Sorting,
  { assets, isSinglePage }: WorkerPlan,
  name: string,
): PagePlan | undefined {
  if (assets === undefined) return undefined;
  const folder = `${posix.normalize(assets).replace(/\/+$/, '')}/`.replace(/^\.\//, '');
  if (!sorting.has(folder + INDEX_PATH)) {
    sorting.leaveSetting(folder, phrase('has no index.html, so it cannot be a page'));
    return undefined;
  }
  const page = planSite(sorting, { folder, document: INDEX_PATH }, name)?.page;
  return page && { ...page, settings: { ...page.settings, ...(isSinglePage && { spa: true }) } };
}
