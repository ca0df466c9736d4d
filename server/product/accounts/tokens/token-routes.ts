import {
  PersonalToken,
  PersonalTokenList,
  PersonalTokenRequest,
  RefreshRequest,
  Registered,
  Registration,
  TokenPair,
  TokenRequest,
} from '../../../../contract/accounts/accounts.ts';
import { idParams } from '../../../../contract/fields.ts';
import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import { ACCOUNT_SCOPE } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { AccountsContext } from '../context.ts';
import { assertCanLogIn } from '../sign-in.ts';
import { deletePersonalToken, listPersonalTokens } from './token-store.ts';

/** Tokens: pairs for a password, and personal ones. */
export function tokenRoutes(context: AccountsContext): Route[] {
  return [...passwordTokenRoutes(context), ...personalTokenRoutes(context)];
}

function passwordTokenRoutes(context: AccountsContext): Route[] {
  const { checkCredentials, register, tokens } = context;
  return [
    route({
      method: 'POST',
      path: '/api/auth/register',
      operationId: 'register',
      failures: ['CONFLICT', 'FORBIDDEN'],
      access: { kind: 'public' },
      stores: true,
      summary: 'Create an account and get a token for it',
      body: Registration,
      status: 201,
      response: Registered,
      async handle({ body, address, request }) {
        const user = await register(body, address);
        const { scopes: _, ...pair } = await tokens.issue(user, { address, userAgent: agentOf(request) });
        return { success: true, userId: user.id, username: user.username, ...pair };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/token',
      operationId: 'createToken',
      failures: ['INVALID_CREDENTIALS'],
      access: { kind: 'public' },
      summary: 'Get a bearer token for a username or an e-mail address, and the password',
      body: TokenRequest,
      acceptsForm: true,
      formLists: ['scopes'],
      response: TokenPair,
      async handle({ body, address, request }) {
        const user = await checkCredentials(body, { request, address });
        assertCanLogIn({ user, method: 'password' });
        return tokens.issue(user, { address, userAgent: agentOf(request) }, body.scopes);
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/token/refresh',
      operationId: 'refreshToken',
      failures: ['INVALID_TOKEN'],
      access: { kind: 'public' },
      summary: 'Exchange a refresh token for a new pair',
      body: RefreshRequest,
      acceptsForm: true,
      response: TokenPair,
      handle: ({ body }) => tokens.refresh(body.refreshToken),
    }),
  ];
}

function personalTokenRoutes(context: AccountsContext): Route[] {
  const { db, now, tokens, loginsEnded } = context;
  return [
    route({
      method: 'POST',
      path: '/api/auth/tokens',
      operationId: 'createPersonalToken',
      failures: ['QUOTA_EXCEEDED'],
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'Make a personal token; it is shown only once, and ends with the login that makes it',
      body: PersonalTokenRequest,
      status: 201,
      response: PersonalToken,
      async handle({ body, actor, address }) {
        const made = await tokens.makePersonal(signedIn(actor), body, address);
        const { id, token } = made;
        const [createdAt, expiresAt] = [toTimestamp(made.createdAt), toTimestamp(made.expiresAt)];
        const { name, scopes, creditLimit = null } = body;
        return { id, name, token, scopes, createdAt, expiresAt, creditLimit };
      },
    }),
    route({
      method: 'GET',
      path: '/api/auth/tokens',
      operationId: 'listPersonalTokens',
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'List your personal tokens',
      response: PersonalTokenList,
      async handle({ actor }) {
        const rows = await listPersonalTokens(db, signedIn(actor).userId, now());
        return { tokens: rows.map(toPersonalToken) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/tokens/:id',
      operationId: 'deletePersonalToken',
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'Revoke a personal token',
      params: idParams,
      status: 204,
      async handle({ params, actor }) {
        const { userId } = signedIn(actor);
        if (!(await deletePersonalToken(db, userId, params.id))) throw notFound('This token');
        loginsEnded(userId);
      },
    }),
  ];
}

const agentOf = (request: Request) => request.headers.get('user-agent') ?? '';

const toPersonalToken = (row: Awaited<ReturnType<typeof listPersonalTokens>>[number]) => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(' '),
  createdAt: toTimestamp(row.created_at),
  expiresAt: row.expires_at === null ? null : toTimestamp(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
  creditLimit: row.credit_limit_tokens === null ? null : toCredits(row.credit_limit_tokens),
  creditsUsed: toCredits(row.credit_used_tokens),
});
