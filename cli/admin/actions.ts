import type { RegistrationSetting } from '../../contract/accounts/invites.ts';
import { registrationEndpoints } from '../../contract/accounts/registration-endpoints.ts';
import { contentEndpoints } from '../../contract/admin/content-endpoints.ts';
import { userEndpoints } from '../../contract/admin/user-endpoints.ts';
import type { QuotaBody } from '../../contract/admin/users.ts';
import type { Done } from '../../contract/fields.ts';
import type { Api } from '../client/api.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { UsageError } from '../usage.ts';
import { connectAsAdmin, findAnyPage, findUser } from './connect.ts';

/** What administrators do. */

const REASON: Record<string, Option> = {
  reason: { type: 'string', value: 'text', summary: 'the reason; the user sees it' },
};
const YES: Record<string, Option> = { yes: { type: 'boolean', summary: 'confirm it' } };

/** An action on one user that needs only their name. */
interface UserAction {
  name: string;
  summary: string;
  run(api: Api, params: { id: number }, reason: string): Promise<Done>;
  /** What it does, if it has to be confirmed. */
  confirm?: string;
  hasReason?: boolean;
}

const USER_ACTIONS: UserAction[] = [
  {
    name: 'admin suspend',
    summary: 'suspend a user: no login, no pages, no functions',
    run: (api, params, reason) => api.call(userEndpoints.suspendUser, { params, body: { reason } }),
    confirm: 'logs the user out and takes their pages and functions offline',
    hasReason: true,
  },
  {
    name: 'admin promote',
    summary: 'make a user an administrator',
    run: (api, params) => api.call(userEndpoints.promoteUser, { params }),
    confirm: 'lets the user do everything that administrators can do',
  },
  {
    name: 'admin demote',
    summary: 'make an administrator an ordinary user',
    run: (api, params) => api.call(userEndpoints.demoteUser, { params }),
  },
  {
    name: 'admin logout',
    summary: 'log a user out everywhere',
    run: (api, params) => api.call(userEndpoints.endSessionsOfUser, { params }),
  },
  {
    name: 'admin second-factor-off',
    summary: 'let a user log in with the password alone, if they have lost their passkeys',
    run: (api, params) => api.call(userEndpoints.turnSecondFactorOff, { params }),
    confirm: 'makes the password alone enough to log in',
  },
];

const toCommand = ({ name, summary, run, confirm, hasReason }: UserAction): Command => ({
  name,
  usage: `<user>${hasReason ? ' --reason <text>' : ''}${confirm ? ' --yes' : ''}`,
  args: [1, 1],
  summary,
  options: { ...(hasReason && REASON), ...(confirm && YES), ...SERVER_OPTION },
  async run(call) {
    const [who = ''] = call.args;
    const reason = hasReason ? requireReason(call) : '';
    if (confirm) confirmed(call, `This ${confirm}.`);
    const api = await connectAsAdmin(call);
    sayDone(call, await run(api, { id: await findUser(api, who) }, reason));
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
    const body = { reason: requireReason(call) };
    confirmed(call, `This takes the ${kind} ${name} offline.`);
    const api = await connectAsAdmin(call);
    const done =
      kind === 'page'
        ? api.call(contentEndpoints.takePageDown, { params: { id: await findAnyPage(api, name) }, body })
        : api.call(contentEndpoints.takeFunctionDown, { params: { slug: name }, body });
    sayDone(call, await done);
  },
};

const RESTORE = {
  user: async (api: Api, name: string) =>
    api.call(userEndpoints.restoreUser, { params: { id: await findUser(api, name) } }),
  page: async (api: Api, name: string) =>
    api.call(contentEndpoints.restorePage, { params: { id: await findAnyPage(api, name) } }),
  function: (api: Api, slug: string) => api.call(contentEndpoints.restoreFunction, { params: { slug } }),
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
    sayDone(call, await RESTORE[kind](api, name));
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
    const made = await api.call(userEndpoints.resetUser, { params: { id: await findUser(api, who) } });
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
    const params = { id: await findUser(api, who) };
    const query = { now: call.flag('now') ? ('true' as const) : undefined };
    sayDone(call, await api.call(userEndpoints.deleteUser, { params, query }));
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
    const params = { id: await findUser(api, who) };
    const { user } = await api.call(userEndpoints.getUser, { params });
    const body: QuotaBody = { ...user.quota };
    for (const name of QUOTAS) {
      const given = call.text(name);
      if (given !== undefined) body[name] = given === 'default' ? null : wholeNumber(name, given);
    }
    sayDone(call, await api.call(userEndpoints.setQuotaOfUser, { params, body }));
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
    const body = { credits: wholeNumber('The credits', amount), reason: requireReason(call) };
    const api = await connectAsAdmin(call);
    const params = { id: await findUser(api, who) };
    const { balance } = await api.call(userEndpoints.grantCredits, { params, body });
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
    // The server checks it.
    const mode = call.args[0] as RegistrationSetting['mode'] | undefined;
    const api = await connectAsAdmin(call);
    const setting = await (mode === undefined
      ? api.call(registrationEndpoints.getRegistration, {})
      : api.call(registrationEndpoints.setRegistration, { body: { mode } }));
    call.out.result(setting, setting.mode);
  },
};

function requireReason(call: Call): string {
  const reason = call.text('reason');
  if (reason?.trim()) return reason;
  throw new UsageError('Give a reason with --reason <text>. The user sees it.');
}

function confirmed(call: Call, what: string): void {
  if (!call.flag('yes')) throw new UsageError(`${what} Add --yes to confirm.`);
}

function assertKind<Kind extends string>(kind: string, kinds: Kind[]): asserts kind is Kind {
  if (kinds.some((each) => each === kind)) return;
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
