import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { ACCESS_OPTIONS, readAccessOptions, sayAccess } from '../access.ts';
import { open } from './open.ts';

const rename: Command = {
  name: 'pages branches rename',
  usage: '<slug|id> <name> <new-name>',
  args: [3, 3],
  summary: 'rename a branch, which also changes its address',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, name } = await open(call);
    const body = { name: call.args[2] ?? '' };
    const branch = await api.call(branchEndpoints.updateBranch, { params: { id, name }, body });
    call.out.done(branch, printable(`The branch ${branch.name} is at ${branch.page.url}.`));
  },
};

const access: Command = {
  name: 'pages branches access',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'show or change who can see a branch',
  options: { ...ACCESS_OPTIONS, ...SERVER_OPTION },
  notes: 'The owner and the admins of the team always see the branch. Without options, nothing changes.',
  async run(call) {
    const { api, id, name } = await open(call);
    const params = { id, name };
    const read = () => api.call(branchEndpoints.getBranch, { params });
    const wanted = await readAccessOptions(call, async () => (await read()).access);
    const branch = wanted
      ? await api.call(branchEndpoints.updateBranch, { params, body: { access: wanted } })
      : await read();
    call.out.result({ id: branch.page.id, access: branch.access }, printable(sayAccess(branch.access)));
  },
};

const keep: Command = {
  name: 'pages branches keep',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'keep a branch that would be deleted because nobody uses it',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, name } = await open(call);
    const branch = await api.call(branchEndpoints.updateBranch, { params: { id, name }, body: {} });
    call.out.done(branch, printable(`The branch ${branch.name} is kept.`));
  },
};

const outbox: Command = {
  name: 'pages branches outbox',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'print the mail that the functions of a branch would have sent, the latest first',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, name } = await open(call);
    const found = await api.call(branchEndpoints.readOutbox, { params: { id, name } });
    const mails = found.mails.map(
      ({ at, to, subject, text }) => `${at}  to ${to.join(', ')}\n${subject}\n\n${text}\n`,
    );
    call.out.result(found, mails.length > 0 ? mails.join('\n') : 'No mail was held back on this branch.');
  },
};

export const settingsCommands = [rename, access, keep, outbox];
