import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MAX_CODE_BYTES } from '../../contract/functions/functions.ts';
import { MIGRATIONS_FOLDER, toMigrationFiles } from '../../contract/rules/projects/migrations.ts';
import { readInside } from '../project/files/inside.ts';
import { readPageFolder } from '../project/folder.ts';
import {
  type LocalFunction,
  locateFunctionFolder,
  readFunctionFolder,
  toLocalFunction,
} from '../project/function-folder.ts';
import {
  type FunctionSource,
  findSource,
  readSource,
  readWorkerSource,
  withProjectFiles,
} from '../project/function-source.ts';
import { type Migration, readMigrations, readWorker, type Worker } from '../project/worker.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';

/** How the name of a main module ends. */
export const MODULE = /\.(?:m?[jt]s|[jt]sx)$/i;

type Found = LocalFunction & {
  worker?: Worker;
  /** Migrations of a Worker that do not fit into the deploy. */
  apart?: Migration[];
};

/** Reads the function in a file or a folder. */
export async function readLocalFunction(path: string): Promise<Found> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) return readFolder(path);
  const slug = basename(path).replace(MODULE, '');
  if (slug === basename(path)) throw new UsageError(`${path} is neither a folder nor a .ts or .js file.`);
  const folder = dirname(resolve(path));
  return toLocalFunction({ slug }, await withProjectFiles(folder, await readSource(path)), folder);
}

/** A folder with a function only, with a page and its function, or with a Worker. */
async function readFolder(path: string): Promise<Found> {
  if ((await readInside(path, 'index.html')) !== undefined) return readFunctionOfPage(path);
  const { root, under } = await locateFunctionFolder(path);
  const own = await readFunctionFolder(root, under);
  if (own) return own;
  const source = await findSource(path, 'function');
  if (source) {
    const whole = await withMigrations(path, await withProjectFiles(path, source));
    return toLocalFunction({ slug: basename(resolve(path)) }, whole, path);
  }
  const worker = await readWorker(path);
  if (worker) return readWorkerFunction(path, worker);
  throw new CommandError(`${path} has no function.ts or function.js.`, EXIT.notFound);
}

async function readFunctionOfPage(path: string): Promise<LocalFunction> {
  const { functions } = await readPageFolder(path);
  const [only, another] = functions;
  if (!only) throw new CommandError(`${path} has no function.ts or function.js.`, EXIT.notFound);
  if (!another) return only;
  throw new UsageError(
    `${path} has ${functions.length} functions. Push one of them with quire functions push ${path}/functions/<slug>, or all with the page: quire pages push ${path}`,
  );
}

/** A Worker as a function. Its settings are among its files, so that the server knows the names of its bindings. */
async function readWorkerFunction(path: string, worker: Worker): Promise<Found> {
  const { file, text, slug, main, hasDatabase, crons } = worker;
  const read = await withProjectFiles(path, await readWorkerSource(main));
  const source = { ...read, files: { ...read.files, [file]: text } };
  const migrations = hasDatabase ? await readMigrations(worker.migrations) : [];
  const sent = toMigrationFiles(migrations, { code: source.text, files: source.files }, MAX_CODE_BYTES);
  const fields = {
    slug,
    ...(hasDatabase && { enableDatabase: true }),
    ...(crons.length > 0 && { schedules: crons.map((cron) => ({ cron })) }),
  };
  const local = toLocalFunction(fields, { ...source, files: { ...source.files, ...sent } }, path);
  return { ...local, worker, ...(!sent && { apart: migrations }) };
}

/** Adds the migrations beside a function. */
async function withMigrations(folder: string, source: FunctionSource): Promise<FunctionSource> {
  const migrations = await readMigrations(join(folder, MIGRATIONS_FOLDER));
  const added = migrations.map(({ name, sql }) => [MIGRATIONS_FOLDER + name, sql]);
  return { ...source, files: { ...source.files, ...Object.fromEntries(added) } };
}
