import { isSecretName } from '../function-names.ts';
import { phrase, type Text } from '../texts/fill.ts';
import { fromWorkerCron } from './worker-crons.ts';

/** Names of files with the settings of a Worker, in the order in which they are looked for. */
export const WORKER_SETTINGS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'] as const;

/** The most characters of a file with the settings of a Worker. */
export const MAX_WORKER_SETTINGS = 64 * 1024;
/** The most tables and keys of such settings. Parsers of TOML compare each with all others: 16,000 of them take a second. */
const MAX_ENTRIES = 2_000;

/** Whether the settings of a Worker are small enough to be parsed. */
export function isShortEnough(text: string): boolean {
  if (text.length > MAX_WORKER_SETTINGS) return false;
  let entries = 0;
  for (const character of text) if (character === '=' || character === '[') entries++;
  return entries <= MAX_ENTRIES;
}

/** The behaviour of the runtime that functions get, by the date at which it became the default. */
export const COMPATIBILITY_DATE = '2026-10-01';

/** The name of a binding in `env`. */
export const isBindingName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z_]\w{0,63}$/.test(name);

/** A Worker as far as a function can be it. Paths are relative to the folder of its settings. */
export interface WorkerPlan {
  /** Its name as a slug; empty if it has none. */
  slug: string;
  main: string | undefined;
  hasDatabase: boolean;
  /** The folder with the migrations of the database. */
  migrations: string;
  crons: string[];
  vars: Record<string, string>;
  /** The folder with the files that it serves. */
  assets: string | undefined;
  /** Whether paths that match none of these files show index.html. */
  isSinglePage: boolean;
  /** What a function does not have. */
  left: Text[];
}

/** Bindings of Workers that functions do not have. */
const MISSING: Record<string, Text> = {
  kv_namespaces: phrase('KV: keep the values in the database'),
  r2_buckets: phrase('R2: functions have no buckets'),
  durable_objects: phrase('Durable Objects'),
  queues: phrase('queues'),
  workflows: phrase('workflows'),
  services: phrase('bindings to other Workers: call their addresses'),
  vectorize: phrase('Vectorize'),
  ai: phrase('Workers AI'),
  hyperdrive: phrase('Hyperdrive: connect to the database directly'),
  browser: phrase('browser rendering'),
  send_email: phrase('e-mail'),
  analytics_engine_datasets: phrase('Analytics Engine'),
  dispatch_namespaces: phrase('dispatch namespaces'),
  mtls_certificates: phrase('client certificates'),
};

/** Reads the settings of a Worker, which its TOML or JSON says. */
export function readWorkerSettings(settings: Record<string, unknown>): WorkerPlan {
  const { main, name, d1_databases, triggers, vars = {}, assets, site } = settings;
  const databases = Array.isArray(d1_databases) ? d1_databases.map(toRecord) : [];
  const names = Object.entries(toRecord(vars));
  const isAllowed = ([key]: [string, unknown]) => isSecretName(key);
  return {
    slug: typeof name === 'string' ? toFunctionSlug(name) : '',
    main: typeof main === 'string' ? main : undefined,
    hasDatabase: isBindingName(databases[0]?.binding),
    migrations: String(databases[0]?.migrations_dir ?? 'migrations'),
    crons: readStrings(toRecord(triggers).crons).map(fromWorkerCron),
    vars: Object.fromEntries(
      names
        .filter(isAllowed)
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
    assets: readString(toRecord(assets).directory) ?? readString(toRecord(site).bucket),
    isSinglePage: toRecord(assets).not_found_handling === 'single-page-application',
    left: [
      ...Object.entries(MISSING).flatMap(([key, what]) => (isThere(settings[key]) ? [what] : [])),
      ...databases
        .slice(1)
        .map(({ binding }) =>
          phrase('the database {binding}: a function has one', { binding: String(binding) }),
        ),
      ...names
        .filter((each) => !isAllowed(each))
        .map(([key]) => phrase('the variable {key}: names are written like API_KEY', { key })),
    ],
  };
}

const isThere = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const readString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const readStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** A name as the slug of a function. Names of Workers may have underscores and capitals. */
export const toFunctionSlug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 90)
    .replaceAll(/^-|-$/g, '');
