import { tokenEndpoints } from '../../../../contract/accounts/token-endpoints.ts';
import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { CheckCredentials } from '../logins/password-check.ts';
import { assertCanLogIn } from '../logins/sign-in.ts';
import { deletePersonalToken, listPersonalTokens } from '../model/token-store.ts';
import type { Register } from '../registration/register.ts';
import type { Tokens } from './tokens.ts';

interface TokensContext {
  db: Db;
  now: () => number;
  tokens: Tokens;
  checkCredentials: CheckCredentials;
  register: Register;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
}

/** Tokens: pairs for a password, and personal ones. */
export function tokenRoutes(context: TokensContext): Route[] {
  return [...passwordTokenRoutes(context), ...personalTokenRoutes(context)];
}

function passwordTokenRoutes(context: TokensContext): Route[] {
  const { checkCredentials, register, tokens } = context;
  return [
    handle(tokenEndpoints.register, async ({ body, address, request }) => {
      const user = await register(body, address);
      const { scopes: _, ...pair } = await tokens.issue(user, { address, userAgent: readUserAgent(request) });
      return { success: true as const, userId: user.id, username: user.username, ...pair };
    }),
    handle(tokenEndpoints.createToken, async ({ body, address, request }) => {
      const user = await checkCredentials(body, { request, address });
      assertCanLogIn({ user, method: 'password' });
      return tokens.issue(user, { address, userAgent: readUserAgent(request) }, body.scopes);
    }),
    handle(tokenEndpoints.refreshToken, ({ body }) => tokens.refresh(body.refreshToken)),
  ];
}

function personalTokenRoutes(context: TokensContext): Route[] {
  const { db, now, tokens, loginsEnded } = context;
  return [
    handle(tokenEndpoints.createPersonalToken, async ({ body, actor, address }) => {
      const made = await tokens.makePersonal(actor, body, address);
      const { id, token } = made;
      const [createdAt, expiresAt] = [toTimestamp(made.createdAt), toTimestamp(made.expiresAt)];
      const { name, scopes, branches_only, creditLimit = null } = body;
      return { id, name, token, scopes, branches_only, createdAt, expiresAt, creditLimit };
    }),
    handle(tokenEndpoints.listPersonalTokens, async ({ actor }) => {
      const rows = await listPersonalTokens(db, actor.userId, now());
      return { tokens: rows.map(toPersonalToken) };
    }),
    handle(tokenEndpoints.deletePersonalToken, async ({ params, actor }) => {
      const { userId } = actor;
      if (!(await deletePersonalToken(db, userId, params.id))) throw notFound('This token was not found.');
      loginsEnded(userId);
    }),
  ];
}

const readUserAgent = (request: Request) => request.headers.get('user-agent') ?? '';

const toPersonalToken = (row: Awaited<ReturnType<typeof listPersonalTokens>>[number]) => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(' '),
  branches_only: row.branches_only === 1,
  createdAt: toTimestamp(row.created_at),
  expiresAt: row.expires_at === null ? null : toTimestamp(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
  creditLimit: row.credit_limit_tokens === null ? null : toCredits(row.credit_limit_tokens),
  creditsUsed: toCredits(row.credit_used_tokens),
});
