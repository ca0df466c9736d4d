import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import { BRANCH_DATA, type BranchData } from '../../../contract/pages/branches/branches.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { UsageError } from '../../usage.ts';
import { mergeCommands } from './merge.ts';
import { open } from './open.ts';
import { settingsCommands } from './settings.ts';

const list: Command = {
  name: 'pages branches list',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the branches of a page, with the slugs of their functions',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await open(call);
    const found = await api.call(branchEndpoints.listBranches, { params: { id } });
    const rows = found.branches.map(({ name, state, data, page: { url }, functions }) =>
      [name, state, data, url, functions.map(({ slug }) => slug).join(' ')].map(printable),
    );
    const heads = ['name', 'state', 'data', 'address', 'functions'];
    call.out.result(
      found,
      rows.length === 0 ? 'This page has no branches.' : columns(heads, rows, call.out.paint.bold),
    );
  },
};

const create: Command = {
  name: 'pages branches create',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'copy a page with its functions, databases and records, to try changes on the copy',
  options: {
    data: {
      type: 'string',
      value: BRANCH_DATA.join('|'),
      summary: 'what is copied of records and databases: all by default',
    },
    at: { type: 'string', value: 'time', summary: 'start from the page as it was then' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const data = (call.text('data') ?? 'all') as BranchData;
    if (!BRANCH_DATA.includes(data)) throw new UsageError(`--data must be ${BRANCH_DATA.join(', ')}.`);
    const { api, id, name } = await open(call);
    const at = call.text('at');
    const body = { name, data, ...(at !== undefined && { at }) };
    const branch = await api.call(branchEndpoints.createBranch, { params: { id }, body });
    const rest = branch.state === 'ready' ? '' : ' Its records and databases are still being copied.';
    call.out.done(branch, printable(`The branch ${branch.name} is at ${branch.page.url}.${rest}`));
  },
};

const remove: Command = {
  name: 'pages branches delete',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'delete a branch with its functions, databases and records',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, name } = await open(call);
    const { message } = await api.call(branchEndpoints.deleteBranch, { params: { id, name } });
    call.out.done({ deleted: name }, printable(message));
  },
};

export const branchesCommands = [list, create, ...mergeCommands, ...settingsCommands, remove];
