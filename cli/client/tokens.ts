import type { NewPersonalToken } from '../../contract/accounts/accounts.ts';
import { tokenEndpoints } from '../../contract/accounts/token-endpoints.ts';
import { FEATURES_SCOPE, SCOPES } from '../../contract/scopes.ts';
import { type Command, SERVER_OPTION, wholeNumber } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';
import { connectToAccount } from './account.ts';

const DAY_MS = 24 * 3600 * 1000;

const list: Command = {
  name: 'tokens list',
  usage: '',
  args: [0, 0],
  summary: 'list your personal tokens',
  options: SERVER_OPTION,
  async run(call) {
    const { tokens } = await (await connectToAccount(call)).call(tokenEndpoints.listPersonalTokens, {});
    const rows = tokens.map(({ id, name, scopes, expiresAt, creditLimit, creditsUsed }) => [
      id,
      name,
      expiresAt?.slice(0, 10) ?? '',
      creditLimit === null ? '' : `${creditsUsed} of ${creditLimit}`,
      scopes.join(' '),
    ]);
    const headings = ['id', 'name', 'expires', 'credits', 'scopes'];
    call.out.result(
      { tokens },
      rows.length === 0 ? 'You have no personal tokens.' : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const create: Command = {
  name: 'tokens create',
  usage: '<name>',
  args: [1, 1],
  summary: 'create a personal token and print it',
  options: {
    scopes: {
      type: 'string',
      value: 'list',
      summary: 'what it can do, separated by commas; default: all but features, which needs --credit-limit',
    },
    'credit-limit': {
      type: 'string',
      value: 'credits',
      summary: 'let it use the features of pages, for at most this many of your credits',
    },
    'branches-only': {
      type: 'boolean',
      summary: 'it can only change branches: every page is protected from it',
    },
    days: { type: 'string', value: 'days', summary: 'how long it is valid; default: as long as your login' },
    ...SERVER_OPTION,
  },
  notes: `The token is shown only this once, on standard output. It ends with the login that creates it. Scopes: ${SCOPES.join(', ')},
features.`,
  async run(call) {
    const [name = ''] = call.args;
    const days = wholeNumber(call, 'days');
    const creditLimit = wholeNumber(call, 'credit-limit');
    const named = call
      .text('scopes')
      ?.split(/[\s,]+/)
      .filter(Boolean) ?? [...SCOPES];
    const scopes =
      creditLimit === undefined || named.includes(FEATURES_SCOPE) ? named : [...named, FEATURES_SCOPE];
    if (scopes.includes(FEATURES_SCOPE) && creditLimit === undefined) {
      throw new UsageError(
        `The scope ${FEATURES_SCOPE} lets the token spend your credits, so it needs a limit. Add --credit-limit <credits>.`,
      );
    }
    const body = {
      name,
      // The server checks them.
      scopes: scopes as NewPersonalToken['scopes'],
      ...(days !== undefined && { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
      branches_only: call.flag('branches-only'),
      ...(creditLimit !== undefined && { creditLimit }),
    };
    const made = await (await connectToAccount(call)).call(tokenEndpoints.createPersonalToken, { body });
    call.out.result(made, printable(made.token));
    call.out.note(`Valid until ${made.expiresAt.slice(0, 10)}. To revoke it: quire tokens delete ${made.id}`);
  },
};

const remove: Command = {
  name: 'tokens delete',
  usage: '<id>',
  args: [1, 1],
  summary: 'revoke a personal token',
  options: SERVER_OPTION,
  async run(call) {
    const [id = ''] = call.args;
    await (await connectToAccount(call)).call(tokenEndpoints.deletePersonalToken, { params: { id } });
    call.out.done({ deleted: true, id: Number(id) }, `Revoked the token ${id}.`);
  },
};

export const tokensCommands: Command[] = [list, create, remove];
