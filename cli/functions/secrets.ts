import { z } from 'zod';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { readSecretValue } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';

const SecretList = z.object({ secrets: z.array(z.object({ name: z.string() })) });

const secretsPath = (slug: string) => `/api/functions/${encodeURIComponent(slug)}/secrets`;

const list: Command = {
  name: 'functions secrets list',
  usage: '<slug>',
  args: [1, 1],
  summary: "the names of a function's secrets",
  options: SERVER_OPTION,
  async run(call) {
    const [slug = ''] = call.args;
    const { secrets } = await (await connect(call)).call('GET', secretsPath(slug), { reads: SecretList });
    call.out.result({ secrets }, secrets.map(({ name }) => printable(name)).join('\n'));
  },
};

const set: Command = {
  name: 'functions secrets set',
  usage: '<slug> <NAME>',
  args: [2, 2],
  summary: 'set a secret; its value is asked for, or read from standard input',
  options: SERVER_OPTION,
  async run(call) {
    const [slug = '', name = ''] = call.args;
    const api = await connect(call);
    // Never an argument: everybody on the machine can read those, and shells keep them.
    const value = await readSecretValue(`${name}: `);
    await api.call('PUT', `${secretsPath(slug)}/${encodeURIComponent(name)}`, { body: { value } });
    call.out.done({ slug, set: name }, `${name} is set; the next call of ${slug} has it in env.`);
  },
};

const remove: Command = {
  name: 'functions secrets delete',
  usage: '<slug> <NAME>',
  args: [2, 2],
  summary: 'remove a secret',
  options: SERVER_OPTION,
  async run(call) {
    const [slug = '', name = ''] = call.args;
    await (await connect(call)).call('DELETE', `${secretsPath(slug)}/${encodeURIComponent(name)}`);
    call.out.done({ slug, deleted: name }, `${name} is removed.`);
  },
};

export const secretsCommands = [list, set, remove];
