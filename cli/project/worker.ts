import { readdir } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { isSecretName } from '../../contract/rules/function-names.ts';
import { fromWorkerCron } from '../../contract/rules/projects/worker-crons.ts';
import { isBindingName, WORKER_SETTINGS } from '../../contract/rules/worker-settings.ts';
import { CommandError, EXIT } from '../usage.ts';
import { readInside } from './files/inside.ts';

/** A Worker in a folder with the settings of wrangler, as far as a function can be it. */
export interface Worker {
  /** The file with the settings, and its text. */
  file: string;
  text: string;
  slug: string;
  /** The path of the main module. */
  main: string;
  hasDatabase: boolean;
  /** The folder with the migrations of the database. */
  migrations: string;
  crons: string[];
  vars: Record<string, string>;
  /** What a function does not have. */
  left: string[];
}

/** Bindings that have no counterpart. */
const MISSING: Record<string, string> = {
  kv_namespaces: 'KV: keep the values in the database',
  r2_buckets: 'R2: functions have no buckets',
  durable_objects: 'Durable Objects',
  queues: 'queues',
  workflows: 'workflows',
  services: 'bindings to other Workers: call their addresses',
  vectorize: 'Vectorize',
  ai: 'Workers AI',
  hyperdrive: 'Hyperdrive: connect to the database directly',
  browser: 'browser rendering',
  send_email: 'e-mail',
  analytics_engine_datasets: 'Analytics Engine',
  dispatch_namespaces: 'dispatch namespaces',
  mtls_certificates: 'client certificates',
  assets: 'static files: push them as a page',
  site: 'static files: push them as a page',
};

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
  const settings = parseSettings(path, text);
  const { main, name, d1_databases, triggers, vars = {} } = settings;
  if (typeof main !== 'string')
    throw new CommandError(
      `${path} names no main module. Functions need one: main = "src/index.ts".`,
      EXIT.notFound,
    );
  const databases = Array.isArray(d1_databases) ? (d1_databases as Array<Record<string, unknown>>) : [];
  const names = Object.entries(vars as Record<string, unknown>);
  const isKept = ([key]: [string, unknown]) => isSecretName(key);
  return {
    file,
    text,
    slug: toSlug(typeof name === 'string' ? name : parse(resolve(folder)).base),
    main: join(folder, main),
    hasDatabase: isBindingName(databases[0]?.binding),
    migrations: join(folder, String(databases[0]?.migrations_dir ?? 'migrations')),
    crons: readStrings((triggers as { crons?: unknown } | undefined)?.crons).map(fromWorkerCron),
    vars: Object.fromEntries(
      names
        .filter(isKept)
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
    left: [
      ...Object.entries(MISSING).flatMap(([key, what]) => (isThere(settings[key]) ? [what] : [])),
      ...databases.slice(1).map(({ binding }) => `the database ${String(binding)}: a function has one`),
      ...names
        .filter((each) => !isKept(each))
        .map(([key]) => `the variable ${key}: names are written like API_KEY`),
    ],
  };
}

/** The migrations of a folder in their order, as wrangler applies them. */
export async function readMigrations(folder: string): Promise<Array<{ name: string; sql: string }>> {
  const names = await readdir(folder).catch(() => []);
  const found: Array<{ name: string; sql: string }> = [];
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

const isThere = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const readStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Names of Workers may have underscores and capitals. */
const toSlug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
