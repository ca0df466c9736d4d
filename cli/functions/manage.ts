import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { withPlace } from '../../contract/errors.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import {
  type BundleSize,
  type FunctionSummary,
  type FunctionWarning,
  MAX_CODE_BYTES,
} from '../../contract/functions/functions.ts';
import { MIGRATIONS_FOLDER, toMigrationFiles } from '../../contract/rules/projects/migrations.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { readInside } from '../project/files/inside.ts';
import { readPageFolder } from '../project/folder.ts';
import {
  chooseMainName,
  type FunctionSource,
  findSource,
  readSource,
  readWorkerSource,
  toLocalFiles,
  withProjectFiles,
  writeSource,
} from '../project/function-source.ts';
import { openMemory } from '../project/memory.ts';
import { parsePageJson } from '../project/page-json.ts';
import { type Migration, readMigrations, readWorker, type Worker } from '../project/worker.ts';
import { count, saySize } from '../terminal/amounts.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { deploy, type FunctionFields } from './deploy.ts';
import { confirmLeft, settleWorker } from './worker.ts';

const PAGE_SIZE = 100;

const functionsList: Command = {
  name: 'functions list',
  usage: '',
  args: [0, 0],
  summary: 'list your functions',
  options: { public: { type: 'boolean', summary: 'list public functions of all users' }, ...SERVER_OPTION },
  async run(call) {
    const api = await connect(call);
    const functions: FunctionSummary[] = [];
    for (let total = 1; functions.length < total; ) {
      const mine = call.flag('public') ? undefined : 'true';
      const next = await api.call(functionEndpoints.listFunctions, {
        query: { limit: PAGE_SIZE, offset: functions.length, mine },
      });
      functions.push(...next.functions);
      // If a function is deleted in the meantime, `total` is never reached.
      total = next.functions.length === 0 ? 0 : next.total;
    }
    const rows = functions.map((each) => [
      each.slug,
      each.displayName,
      each.owner,
      each.hasDatabase ? 'yes' : '',
      each.isPublic === false ? 'private' : 'public',
      each.updatedAt.slice(0, 16).replace('T', ' '),
    ]);
    const headings = ['slug', 'name', 'owner', 'database', 'visibility', 'updated (UTC)'];
    const none = 'There are no functions yet. Deploy one with quire functions push <file>.';
    call.out.result(
      { functions, total: functions.length },
      rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const functionsPush: Command = {
  name: 'functions push',
  usage: '<file.ts|file.js|folder>',
  args: [1, 1],
  summary: 'deploy or update a function',
  options: {
    slug: { type: 'string', value: 'slug', summary: "its slug (default: the file's name)" },
    name: { type: 'string', value: 'name', summary: 'a display name' },
    description: { type: 'string', value: 'text', summary: 'what it does' },
    database: { type: 'boolean', summary: 'give a new function a database, env.DB' },
    'use-database': {
      type: 'string',
      value: 'slug',
      summary: 'let a new function share the database of this function',
    },
    partly: { type: 'boolean', summary: 'deploy a Worker without what functions do not have' },
    private: { type: 'boolean', summary: 'only you can call it' },
    public: { type: 'boolean', summary: 'anyone can call it' },
    force: {
      type: 'boolean',
      summary:
        "overwrite someone else's newer version (it stays in the history), or a function that was not deployed from this folder",
    },
    ...SERVER_OPTION,
  },
  notes:
    'In a folder, uses function.ts or function.js, and the field function of page.json if there is one. Further modules are in the folder beside the main one that has its name: api.ts imports from ./api/. A package.json beside the main one gives the versions of packages, and a tsconfig.json the options of JSX. The SQL files in its folder migrations change the database before the new code serves, once each. A folder with wrangler.toml, wrangler.json or wrangler.jsonc is a Worker: its main module, its D1 database with migrations, its crons and its variables (as secrets) move in. If the code does not load, shows the error with its line and changes nothing.',
  async run(call) {
    const api = await connect(call);
    const [path = ''] = call.args;
    const { fields, source, folder, worker, apart } = await readFunction(path);
    if (worker) await confirmLeft(worker, call);
    const { action, function: deployed } = await deploy(api, { ...fields, ...given(call) }, source, {
      memory: openMemory(folder, api.baseUrl, await readMemoryKey(call.environment)),
      isForced: call.flag('force'),
      chosenDatabase: call.text('use-database'),
    });
    if (action !== 'created' && call.flag('database') && !deployed.hasDatabase) {
      call.out.note('It has no database: only a new function can get one.');
    }
    const settled = worker ? await settleWorker(api, deployed.slug, worker, apart ?? []) : [];
    const migrations = [...(deployed.migrations ?? []), ...settled];
    for (const name of migrations) call.out.note(printable(`Applied ${name}.`));
    if (deployed.bundle && action !== 'unchanged') call.out.note(printable(describeBundle(deployed.bundle)));
    for (const warning of deployed.warnings ?? []) call.out.note(printable(describeWarning(warning)));
    call.out.done(
      { action, ...deployed, ...((worker || migrations.length > 0) && { migrations }) },
      printable(`${action.padEnd(10)} ${deployed.slug} at ${deployed.workerUrl}`),
    );
  },
};

/** A warning, with its place in the code. */
function describeWarning({ message, file, line, column = 1 }: FunctionWarning): string {
  return `warning: ${line === undefined ? message : withPlace(message, { line, column, ...(file !== undefined && { file }) })}`;
}

/** The size of a bundle, and the three largest things in it. */
function describeBundle({ size, largest }: BundleSize): string {
  const parts = largest.slice(0, 3).map((part) => `${part.name} ${saySize(part.size)}`);
  return `The bundle has ${saySize(size)}: ${parts.join(', ')}${largest.length > 3 ? ', …' : ''}.`;
}

const functionsPull: Command = {
  name: 'functions pull',
  usage: '<slug> [file|-]',
  args: [1, 2],
  summary: "download a function's code to a file",
  options: { force: { type: 'boolean', summary: 'overwrite a file that differs' }, ...SERVER_OPTION },
  async run(call) {
    const api = await connect(call);
    const [slug = '', wanted] = call.args;
    const { code, files, version } = await api.call(functionEndpoints.getFunctionCode, { params: { slug } });
    if (wanted === '-' && !call.out.isJson) return call.out.raw(code);
    if (wanted === '-') return call.out.result({ slug, code, files, version }, '');
    const file = wanted ?? chooseMainName(slug.replaceAll('/', ''), code, files);
    await writeSource(dirname(file), toLocalFiles(basename(file), code, files), call.flag('force'));
    const memory = openMemory(dirname(resolve(file)), api.baseUrl, await readMemoryKey(call.environment));
    await memory.keepFunction(slug, version);
    const beside = Object.keys(files);
    call.out.done(
      { slug, version, file, ...(beside.length > 0 && { files: beside }) },
      `Downloaded ${slug} (version ${version}) to ${file}${beside.length > 0 ? `, with ${count(beside.length, 'file')} beside it` : ''}.`,
    );
  },
};

const functionsDelete: Command = {
  name: 'functions delete',
  usage: '<slug> --yes',
  args: [1, 1],
  summary: 'delete a function, and its database if no other function uses it',
  options: { yes: { type: 'boolean', summary: 'confirm the deletion' }, ...SERVER_OPTION },
  async run(call) {
    const [slug = ''] = call.args;
    if (!call.flag('yes'))
      throw new UsageError(`This permanently deletes ${slug} and its database. Add --yes to confirm.`);
    await (await connect(call)).call(functionEndpoints.deleteFunction, { params: { slug } });
    call.out.done({ deleted: slug }, `Deleted ${slug}.`);
  },
};

export const functionsCommands = [functionsList, functionsPush, functionsPull, functionsDelete];

/** A function on disk. */
interface FunctionToPush {
  fields: FunctionFields;
  source: FunctionSource;
  folder: string;
  worker?: Worker;
  /** Migrations of a Worker that do not fit into the deploy. */
  apart?: Migration[];
}

async function readFunction(path: string): Promise<FunctionToPush> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) return readFunctionFolder(path);
  const slug = basename(path).replace(/\.(?:m?[jt]s|[jt]sx)$/i, '');
  if (slug === basename(path)) throw new UsageError(`${path} is neither a folder nor a .ts or .js file.`);
  const folder = dirname(resolve(path));
  return { fields: { slug }, source: await withProjectFiles(folder, await readSource(path)), folder };
}

/** A folder with a page and its function, or with a function only. */
async function readFunctionFolder(path: string) {
  if ((await readInside(path, 'index.html')) !== undefined) {
    const { folder, settings, source } = await readPageFolder(path);
    if (!settings.function || !source)
      throw new CommandError(`${path} has no function.ts or function.js.`, EXIT.notFound);
    return { fields: settings.function, source, folder };
  }
  const source = await findSource(path, 'function');
  const worker = source ? undefined : await readWorker(path);
  if (worker) return readWorkerFunction(path, worker);
  if (!source) throw new CommandError(`${path} has no function.ts or function.js.`, EXIT.notFound);
  const json = await readInside(path, 'page.json');
  const named = json === undefined ? undefined : parsePageJson(join(path, 'page.json'), json).function;
  return {
    fields: named ?? { slug: basename(resolve(path)) },
    source: await withMigrations(path, await withProjectFiles(path, source)),
    folder: resolve(path),
  };
}

/** A Worker as a function. Its settings are among its files, so that the server knows the names of its bindings. */
async function readWorkerFunction(path: string, worker: Worker) {
  const { file, text, slug, main, hasDatabase, crons } = worker;
  const read = await withProjectFiles(path, await readWorkerSource(main));
  const source = { ...read, files: { ...read.files, [file]: text } };
  const migrations = hasDatabase ? await readMigrations(worker.migrations) : [];
  const sent = toMigrationFiles(migrations, { code: source.text, files: source.files }, MAX_CODE_BYTES);
  return {
    fields: {
      slug,
      ...(hasDatabase && { enableDatabase: true }),
      ...(crons.length > 0 && { schedules: crons.map((cron) => ({ cron })) }),
    },
    source: { ...source, files: { ...source.files, ...sent } },
    folder: resolve(path),
    worker,
    ...(!sent && { apart: migrations }),
  };
}

/** Adds the migrations beside a function. */
async function withMigrations(folder: string, source: FunctionSource): Promise<FunctionSource> {
  const migrations = await readMigrations(join(folder, MIGRATIONS_FOLDER));
  const added = migrations.map(({ name, sql }) => [MIGRATIONS_FOLDER + name, sql]);
  return { ...source, files: { ...source.files, ...Object.fromEntries(added) } };
}

function given(call: Call): Partial<FunctionFields> {
  if (call.flag('private') && call.flag('public'))
    throw new UsageError('Use either --private or --public, not both.');
  const fields = {
    slug: call.text('slug'),
    displayName: call.text('name'),
    description: call.text('description'),
    enableDatabase: call.flag('database') || undefined,
    useDatabase: call.text('use-database'),
    isPublic: call.flag('private') ? false : call.flag('public') || undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
