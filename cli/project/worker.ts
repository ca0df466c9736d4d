import { readdir } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import {
  readWorkerSettings,
  toFunctionSlug,
  WORKER_SETTINGS,
  type WorkerPlan,
} from '../../contract/rules/projects/worker-settings.ts';
import { CommandError, EXIT } from '../usage.ts';
import { readInside } from './files/inside.ts';
import { sayFault } from './files/say-fault.ts';

/** A Worker in a folder with the settings of wrangler, as far as a function can be it. */
export interface Worker extends Pick<WorkerPlan, 'slug' | 'hasDatabase' | 'crons' | 'vars'> {
  /** The file with the settings, and its text. */
  file: string;
  text: string;
  /** The path of the main module. */
  main: string;
  /** The folder with the migrations of the database. */
  migrations: string;
  /** What a function does not have. */
  left: string[];
}

/** The Worker in a folder; undefined if there are no settings of wrangler. */
export async function readWorker(folder: string): Promise<Worker | undefined> {
  for (const file of WORKER_SETTINGS) {
    const text = await readInside(folder, file);
    if (text !== undefined) return toWorker(folder, file, text);
  }
  return undefined;
}

function toWorker(folder: string, file: string, text: string): Worker {
  const path = join(folder, file);
  const { main, assets, ...plan } = readWorkerSettings(parseSettings(path, text));
  if (main === undefined)
    throw new CommandError(
      `${path} names no main module. Functions need one: main = "src/index.ts".`,
      EXIT.notFound,
    );
  return {
    ...plan,
    file,
    text,
    slug: plan.slug || toFunctionSlug(parse(resolve(folder)).base),
    main: join(folder, main),
    migrations: join(folder, plan.migrations),
    left: [
      ...plan.left.map(sayFault),
      ...(assets === undefined ? [] : ['static files: push them as a page']),
    ],
  };
}

/** A migration: the name of its file, and its statements. */
export interface Migration {
  name: string;
  sql: string;
}

/** The migrations of a folder, in the order of their names. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await readdir(folder).catch(() => []);
  const found: Migration[] = [];
  for (const name of names.filter((each) => each.endsWith('.sql')).sort())
    found.push({ name, sql: (await readInside(dirname(join(folder, name)), name)) ?? '' });
  return found;
}

/** Reads the settings of wrangler. */
export function parseSettings(path: string, text: string): Record<string, unknown> {
  try {
    return (path.endsWith('.toml') ? Bun.TOML.parse(text) : Bun.JSONC.parse(text)) as Record<string, unknown>;
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
