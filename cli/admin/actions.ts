import { RegistrationSetting } from '../../contract/accounts/invites.ts';
import {
  DeletedUser,
  Granted,
  type QuotaBody,
  ResetLink,
  UserDetailResponse,
} from '../../contract/admin/users.ts';
import { Done } from '../../contract/fields.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { UsageError } from '../usage.ts';
import { connectAsAdmin, thingPath, userPath } from './connect.ts';

/** What administrators do. */

const REASON: Record<string, Option> = {
  reason: { type: 'string', value: 'text', summary: 'the reason; the user sees it' },
};
const YES: Record<string, Option> = { yes: { type: 'boolean', summary: 'confirm it' } };

/** An action on one user that needs only their name. */
interface UserAction {
  name: string;
  summary: string;
  method?: 'DELETE';
  path: string;
  /** What it does, if it has to be confirmed. */
  confirm?: string;
  hasReason?: boolean;
}

const USER_ACTIONS: UserAction[] = [
  {
    name: 'admin suspend',
    summary: 'suspend a user: no login, no pages, no functions',
    path: 'suspend',
    confirm: 'logs the user out and takes their pages and functions offline',
    hasReason: true,
  },
  {
    name: 'admin promote',
    summary: 'make a user an administrator',
    path: 'promote',
    confirm: 'lets the user do everything that administrators can do',
  },
  { name: 'admin demote', summary: 'make an administrator an ordinary user', path: 'demote' },
  {
    name: 'admin logout',
    summary: 'log a user out everywhere',
    method: 'DELETE',
    path: 'sessions',
  },
  {
    name: 'admin second-factor-off',
    summary: 'let a user log in with the password alone, if they have lost their passkeys',
    path: 'second-factor/off',
    confirm: 'makes the password alone enough to log in',
  },
];

const toCommand = ({ name, summary, method, path, confirm, hasReason }: UserAction): Command => ({
  name,
  usage: `<user>${hasReason ? ' --reason <text>' : ''}${confirm ? ' --yes' : ''}`,
  args: [1, 1],
  summary,
  options: { ...(hasReason && REASON), ...(confirm && YES), ...SERVER_OPTION },
  async run(call) {
    const [who = ''] = call.args;
    const body = hasReason ? { body: { reason: reasonOf(call) } } : {};
    if (confirm) confirmed(call, `This ${confirm}.`);
    const api = await connectAsAdmin(call);
    const url = `${await userPath(api, who)}/${path}`;
    sayDone(call, await api.call(method ?? 'POST', url, { ...body, reads: Done }));
  },
});

const takeDown: Command = {
  name: 'admin take-down',
  usage: 'page|function <name> --reason <text> --yes',
  args: [2, 2],
  summary: 'take down a page or function: everybody gets 451',
  options: { ...REASON, ...YES, ...SERVER_OPTION },
  notes: '<name> is the slug. For pages, it can be the id.',
  async run(call) {
    const [kind = '', name = ''] = call.args;
    assertKind(kind, ['page', 'function']);
    const reason = reasonOf(call);
    confirmed(call, `This takes the ${kind} ${name} offline.`);
    const api = await connectAsAdmin(call);
    const url = `${await thingPath(api, kind, name)}/take-down`;
    sayDone(call, await api.call('POST', url, { body: { reason }, reads: Done }));
  },
};

const restore: Command = {
  name: 'admin restore',
  usage: 'user|page|function <name>',
  args: [2, 2],
  summary: 'end a suspension, or restore what was taken down',
  options: SERVER_OPTION,
  async run(call) {
    const [kind = '', name = ''] = call.args;
    assertKind(kind, ['user', 'page', 'function']);
    const api = await connectAsAdmin(call);
    const url = `${await thingPath(api, kind, name)}/restore`;
    sayDone(call, await api.call('POST', url, { reads: Done }));
  },
};

const reset: Command = {
  name: 'admin reset',
  usage: '<user>',
  args: [1, 1],
  summary: 'print a link that lets a user set a new password',
  options: SERVER_OPTION,
  async run(call) {
    const [who = ''] = call.args;
    const api = await connectAsAdmin(call);
    const made = await api.call('POST', `${await userPath(api, who)}/reset`, { reads: ResetLink });
    call.out.result(made, printable(made.link));
    call.out.note(`It works once, until ${made.expiresAt}. Give it to this user only.`);
  },
};

const remove: Command = {
  name: 'admin delete',
  usage: '<user> [--now] --yes',
  args: [1, 1],
  summary: 'delete a user and everything they have, after 7 days',
  options: {
    now: { type: 'boolean', summary: 'delete at once; this cannot be undone' },
    ...YES,
    ...SERVER_OPTION,
  },
  async run(call) {
    const [who = ''] = call.args;
    confirmed(call, `This deletes ${who} and everything in the account.`);
    const api = await connectAsAdmin(call);
    const query = call.flag('now') ? '?now=true' : '';
    const url = `${await userPath(api, who)}${query}`;
    sayDone(call, await api.call('DELETE', url, { reads: DeletedUser }));
  },
};

const QUOTAS = ['pages', 'functions', 'bytes'] as const;

const quota: Command = {
  name: 'admin quota',
  usage: '<user> [--pages <n>] [--functions <n>] [--bytes <n>]',
  args: [1, 1],
  summary: 'set the quota of a user',
  options: {
    ...Object.fromEntries(
      QUOTAS.map((name) => [
        name,
        { type: 'string', value: 'n', summary: `the largest number of ${name}` } as const,
      ]),
    ),
    ...SERVER_OPTION,
  },
  notes:
    'A number, 0 for no limit, or default for the default quota of the server. What you do not name stays the same.',
  async run(call) {
    const [who = ''] = call.args;
    const api = await connectAsAdmin(call);
    const path = await userPath(api, who);
    const { user } = await api.call('GET', path, { reads: UserDetailResponse });
    const body: QuotaBody = { ...user.quota };
    for (const name of QUOTAS) {
      const given = call.text(name);
      if (given !== undefined) body[name] = given === 'default' ? null : wholeNumber(name, given);
    }
    sayDone(call, await api.call('PUT', `${path}/quota`, { body, reads: Done }));
  },
};

const credits: Command = {
  name: 'admin credits',
  usage: '<user> <credits> --reason <text>',
  args: [2, 2],
  summary: 'give a user credits',
  options: { ...REASON, ...SERVER_OPTION },
  async run(call) {
    const [who = '', amount = ''] = call.args;
    const body = { credits: wholeNumber('The credits', amount), reason: reasonOf(call) };
    const api = await connectAsAdmin(call);
    const { balance } = await api.call('POST', `${await userPath(api, who)}/credits`, {
      body,
      reads: Granted,
    });
    call.out.done({ balance }, `The user now has ${balance} credits.`);
  },
};

const registration: Command = {
  name: 'admin registration',
  usage: '[open|invite|closed]',
  args: [0, 1],
  summary: 'show or set who can create an account',
  options: SERVER_OPTION,
  async run(call) {
    const [mode] = call.args;
    const api = await connectAsAdmin(call);
    const path = '/api/admin/registration';
    const setting = await (mode === undefined
      ? api.call('GET', path, { reads: RegistrationSetting })
      : api.call('PUT', path, { body: { mode }, reads: RegistrationSetting }));
    call.out.result(setting, setting.mode);
  },
};

function reasonOf(call: Call): string {
  const reason = call.text('reason');
  if (reason?.trim()) return reason;
  throw new UsageError('Give a reason with --reason <text>. The user sees it.');
}

function confirmed(call: Call, what: string): void {
  if (!call.flag('yes')) throw new UsageError(`${what} Add --yes to confirm.`);
}

function assertKind(kind: string, kinds: string[]): void {
  if (kinds.includes(kind)) return;
  throw new UsageError(`Use ${kinds.join(' or ')}, not ${kind}.`);
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a whole number, not ${text}.`);
}

function sayDone(call: Call, answer: { message: string }): void {
  call.out.done(answer, printable(answer.message));
}

export const adminActions: Command[] = [
  ...USER_ACTIONS.map(toCommand),
  restore,
  reset,
  remove,
  quota,
  credits,
  takeDown,
  registration,
];
