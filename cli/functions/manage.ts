import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { Code, FunctionSummary, FunctionList as WholeList } from '../../contract/functions.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { readIfThere } from '../pages/files/inside.ts';
import { readPageFolder } from '../pages/folder.ts';
import { openMemory } from '../pages/memory.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { deploy, type FunctionFields } from './deploy.ts';

const ListedFunction = FunctionSummary.pick({
  slug: true,
  displayName: true,
  owner: true,
  hasDatabase: true,
  isPublic: true,
  updatedAt: true,
}).loose();
const FunctionList = WholeList.pick({ total: true }).extend({ functions: z.array(ListedFunction) });
const PAGE_SIZE = 100;

const functionsList: Command = {
  name: 'functions list',
  usage: '',
  args: [0, 0],
  summary: 'list your functions',
  options: { public: { type: 'boolean', summary: 'list public functions of all users' }, ...SERVER_OPTION },
  async run(call) {
    const api = await connect(call);
    const functions: z.infer<typeof FunctionList>['functions'] = [];
    for (let total = 1; functions.length < total; ) {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE), offset: String(functions.length) });
      if (!call.flag('public')) query.set('mine', 'true');
      const next = await api.call('GET', `/api/functions?${query}`, { reads: FunctionList });
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
    const none = 'There are no functions yet. Deploy one with quire functions push <file.js>.';
    call.out.result(
      { functions, total: functions.length },
      rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const functionsPush: Command = {
  name: 'functions push',
  usage: '<file.js|folder>',
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
    private: { type: 'boolean', summary: 'only you can call it' },
    public: { type: 'boolean', summary: 'anyone can call it' },
    force: { type: 'boolean', summary: 'overwrite a function that was not deployed from this folder' },
    ...SERVER_OPTION,
  },
  notes:
    'In a folder, uses function.js and the field function of page.json. If the module does not load, shows the error with its line and changes nothing.',
  async run(call) {
    const api = await connect(call);
    const [path = ''] = call.args;
    const { fields, code, folder } = await readFunction(path);
    // The name of a single file is the user's choice. A folder from someone else could name any function.
    const memory =
      folder === undefined
        ? undefined
        : openMemory(folder, api.baseUrl, await readMemoryKey(call.environment));
    const isForced = call.flag('force');
    const { action, function: deployed } = await deploy(
      api,
      { ...fields, ...given(call) },
      code,
      async (slug) => isForced || !memory || memory.hasFunction(slug),
    );
    if (action !== 'unchanged' || isForced) await memory?.keepFunction(deployed.slug);
    if (action !== 'created' && call.flag('database') && !deployed.hasDatabase) {
      call.out.note('It has no database: only a new function can get one.');
    }
    call.out.done(
      { action, ...deployed },
      printable(`${action.padEnd(10)} ${deployed.slug} at ${deployed.workerUrl}`),
    );
  },
};

const functionsPull: Command = {
  name: 'functions pull',
  usage: '<slug> [file|-]',
  args: [1, 2],
  summary: "download a function's code to a file",
  options: { force: { type: 'boolean', summary: 'overwrite a file that differs' }, ...SERVER_OPTION },
  async run(call) {
    const api = await connect(call);
    const [slug = '', wanted] = call.args;
    const { code, version } = await api.call('GET', `/api/functions/${encodeURIComponent(slug)}/code`, {
      reads: Code,
    });
    if (wanted === '-' && !call.out.isJson) return call.out.raw(code);
    if (wanted === '-') return call.out.result({ slug, code, version }, '');
    const file = wanted ?? `${slug.replaceAll('/', '')}.js`;
    const present = await readIfThere(file);
    if (present !== undefined && present !== code && !call.flag('force')) {
      throw new CommandError(
        `${file} exists and differs. Choose another file, or add --force to overwrite it.`,
        EXIT.conflict,
      );
    }
    await writeWhole(file, code);
    call.out.done({ slug, version, file }, `Downloaded ${slug} (version ${version}) to ${file}.`);
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
    await (await connect(call)).call('DELETE', `/api/functions/${encodeURIComponent(slug)}`);
    call.out.done({ deleted: slug }, `Deleted ${slug}.`);
  },
};

export const functionsCommands = [functionsList, functionsPush, functionsPull, functionsDelete];

async function readFunction(
  path: string,
): Promise<{ fields: FunctionFields; code: { file: string; text: string }; folder?: string }> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) {
    const { folder, settings, code } = await readPageFolder(path);
    if (!settings.function || !code) throw new CommandError(`${path} has no function.js.`, EXIT.notFound);
    return { fields: settings.function, code, folder };
  }
  const slug = basename(path).replace(/\.m?js$/i, '');
  if (slug === basename(path)) throw new UsageError(`${path} is neither a folder nor a .js file.`);
  return { fields: { slug }, code: { file: path, text: (await readIfThere(path)) ?? '' } };
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
