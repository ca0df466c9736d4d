import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { withPlace } from '../../contract/errors.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { BundleSize, FunctionSummary, FunctionWarning } from '../../contract/functions/functions.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { type FunctionFields, locateFunctionFolder } from '../project/function-folder.ts';
import { PROJECT_FILES, toLocalFiles } from '../project/function-source.ts';
import { openMemory } from '../project/memory.ts';
import { applyTexts, wouldLose } from '../project/texts.ts';
import { count, saySize } from '../terminal/amounts.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, UsageError } from '../usage.ts';
import { deploy } from './deploy.ts';
import { keepPulled, planFolder, planPulled, type RemoteFunction, readRemoteFunction } from './download.ts';
import { MODULE, readLocalFunction } from './local.ts';
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
    'A folder with function.json has one function: its settings, function.ts or function.js, and all other modules in the folder; quire functions pull makes such a folder. In the folder of a page, uses function.ts or function.js, and the field function of page.json. Further modules are in the folder beside the main one that has its name: api.ts imports from ./api/. A package.json beside the main one gives the versions of packages, and a tsconfig.json the options of JSX. The SQL files in its folder migrations change the database before the new code serves, once each. A folder with wrangler.toml, wrangler.json or wrangler.jsonc is a Worker: its main module, its D1 database with migrations, its crons and its variables (as secrets) move in. If the code does not load, shows the error with its line and changes nothing.',
  async run(call) {
    const api = await connect(call);
    const [path = ''] = call.args;
    const { worker, apart, ...local } = await readLocalFunction(path);
    if (worker) await confirmLeft(worker, call);
    const chosen = { ...local, fields: { ...local.fields, ...given(call) } };
    const { action, function: deployed } = await deploy(api, chosen, {
      memory: openMemory(local.folder, api.baseUrl),
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
  usage: '<slug> [folder|file|-]',
  args: [1, 2],
  summary: 'download a function with its files and settings as a folder that you can push',
  options: { force: { type: 'boolean', summary: 'overwrite files that you changed' }, ...SERVER_OPTION },
  notes: `Without a folder, its name is the slug. The folder has function.json with the settings, the main module (function.ts or
function.js) and all other files. A name that ends like a module, such as poll.ts, is the main module alone, with what
it imports beside it. - prints the main module.`,
  async run(call) {
    const api = await connect(call);
    const [slug = '', wanted = slug] = call.args;
    if (wanted === '-') return printCode(call, api, slug);
    const remote = await readRemoteFunction(api, slug);
    const { version } = remote;
    const isFile = MODULE.test(wanted);
    const place = isFile ? { root: dirname(resolve(wanted)), under: '' } : await locateFunctionFolder(wanted);
    const memory = openMemory(place.root, api.baseUrl);
    const pulled = isFile
      ? await planPulled(remote, toFileTexts(remote, basename(wanted)), place, memory)
      : await planFolder(remote, place, memory);
    const { unsaved } = pulled.plan;
    if (unsaved.length > 0 && !call.flag('force')) throw wouldLose(unsaved, place.root);
    await mkdir(join(place.root, place.under), { recursive: true });
    await applyTexts(place.root, pulled.plan);
    await keepPulled(memory, pulled);
    const written = Object.keys(pulled.texts);
    call.out.done(
      { slug, version, [isFile ? 'file' : 'folder']: wanted, files: written, removed: pulled.plan.remove },
      `Downloaded ${slug} (version ${version}) to ${wanted} (${count(written.length, 'file')}).`,
    );
  },
};

async function printCode(call: Call, api: Api, slug: string): Promise<void> {
  const { code, files, version } = await api.call(functionEndpoints.getFunctionCode, { params: { slug } });
  if (call.out.isJson) call.out.result({ slug, code, files, version }, '');
  else await call.out.raw(code);
}

/** The texts beside a single file. Throws if a push of that file would not find them all. */
function toFileTexts({ slug, code, files }: RemoteFunction, main: string): Record<string, string> {
  const isFound = (path: string) => path.startsWith(`${parse(main).name}/`) || PROJECT_FILES.includes(path);
  const lost = Object.keys(files).find((path) => !isFound(path));
  if (lost !== undefined)
    throw new CommandError(
      `The function ${slug} has the file ${lost.slice(0, 200)}, which a push of ${main} would not send. Download it as a folder: quire functions pull ${slug} <folder>`,
    );
  return toLocalFiles(main, code, files);
}

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
