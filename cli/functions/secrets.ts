import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { readSecretValue } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';

const list: Command = {
  name: 'functions secrets list',
  usage: '<slug>',
  args: [1, 1],
  summary: "list the names of a function's secrets",
  options: SERVER_OPTION,
  async run(call) {
    const [slug = ''] = call.args;
    const { secrets } = await (await connect(call)).call(functionEndpoints.listSecrets, { params: { slug } });
    call.out.result({ secrets }, secrets.map(({ name }) => printable(name)).join('\n'));
  },
};

const set: Command = {
  name: 'functions secrets set',
  usage: '<slug> <NAME>',
  args: [2, 2],
  summary: 'set a secret; asks for the value, or reads it from standard input',
  options: SERVER_OPTION,
  async run(call) {
    const [slug = '', name = ''] = call.args;
    const api = await connect(call);
    // Never an argument: other users of the machine can see those, and shells store them.
    const value = await readSecretValue(`${name}: `);
    await api.call(functionEndpoints.setSecret, { params: { slug, name }, body: { value } });
    call.out.done({ slug, set: name }, `Set ${name}. The next call of ${slug} has it in env.`);
  },
};

const remove: Command = {
  name: 'functions secrets delete',
  usage: '<slug> <NAME>',
  args: [2, 2],
  summary: 'delete a secret',
  options: SERVER_OPTION,
  async run(call) {
    const [slug = '', name = ''] = call.args;
    await (await connect(call)).call(functionEndpoints.deleteSecret, { params: { slug, name } });
    call.out.done({ slug, deleted: name }, `Deleted ${name}.`);
  },
};

export const secretsCommands = [list, set, remove];
