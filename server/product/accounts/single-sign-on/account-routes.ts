import { Reproof } from '../../../../contract/accounts/passkeys.ts';
import { SingleSignOnStart, SingleSignOnState } from '../../../../contract/accounts/single-sign-on.ts';
import { Done } from '../../../../contract/fields.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Actor, type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { AccountsContext } from '../context.ts';
import { lockUser } from '../store.ts';
import { assertWayIn, waysIn } from '../ways-in.ts';
import type { SingleSignOnContext } from './context.ts';
import { startFlow } from './login-routes.ts';
import type { Provider } from './provider.ts';
import { disconnect, findConnection } from './store.ts';

const PATH = '/api/auth/single-sign-on';
/** Where people connect their account, in the dashboard. */
const DASHBOARD = '/account/security';

/** How a logged-in user connects their account to the provider. */
export function connectionRoutes(
  context: AccountsContext,
  singleSignOn: SingleSignOnContext | undefined,
): Route[] {
  const configured = () => {
    if (singleSignOn) return singleSignOn;
    throw new AppError(
      'NOT_FOUND',
      'This server has no single sign-on. Its operator can set QUIRE_OIDC_ISSUER.',
    );
  };
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'getSingleSignOn',
      access: { kind: 'account' },
      summary: 'Whether your account is connected to the single sign-on provider',
      response: SingleSignOnState,
      handle: ({ actor }) => describe(context, singleSignOn, signedIn(actor)),
    }),
    route({
      method: 'POST',
      path: PATH,
      operationId: 'connectSingleSignOn',
      failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'NOT_FOUND', 'UNAVAILABLE'],
      answers: [{ status: 200, description: 'The browser continues at the URL.', headers: ['Set-Cookie'] }],
      access: { kind: 'account' },
      summary: 'Start to connect your account to the single sign-on provider',
      body: Reproof,
      response: SingleSignOnStart,
      async handle({ body, actor, address, request }) {
        const started = await startConnecting(configured(), signedIn(actor), body, { address, request });
        const headers = new Headers({ 'cache-control': 'no-store' });
        for (const cookie of started.cookies) headers.append('set-cookie', cookie);
        return Response.json({ url: started.url }, { headers });
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/disconnect`,
      operationId: 'disconnectSingleSignOn',
      failures: ['INVALID_CREDENTIALS', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND'],
      access: { kind: 'account' },
      summary: 'Disconnect your account from the single sign-on provider',
      body: Reproof,
      bodyOptional: true,
      response: Done,
      async handle({ body, actor, address }) {
        const { provider } = configured();
        const { id } = await context.proveItIsYou(signedIn(actor), body, address);
        await end(context, id, provider, address);
        return { success: true, message: `Your account is no longer connected to ${provider.name}.` };
      },
    }),
  ];
}

async function describe(
  { db }: AccountsContext,
  singleSignOn: SingleSignOnContext | undefined,
  { userId }: Actor,
) {
  if (!singleSignOn) return { provider: null, connection: null, canDisconnect: false };
  const { name, issuer } = singleSignOn.provider;
  const found = await findConnection(db, userId, issuer);
  const { password, passkey } = await waysIn(db, userId, issuer);
  return {
    provider: { name },
    connection: found
      ? { createdAt: toTimestamp(found.created_at), lastUsedAt: toTimestamp(found.last_used_at) }
      : null,
    canDisconnect: password || passkey,
  };
}

async function startConnecting(
  context: SingleSignOnContext,
  actor: Actor,
  given: { password?: string | undefined },
  { address, request }: { address: string; request: Request },
) {
  const { userId, sessionId } = actor;
  await context.proveItIsYou(actor, given, address);
  if (sessionId === undefined) throw new Error('a login without a session');
  return startFlow(context, request, { next: DASHBOARD, connects: { userId, sessionId } });
}

async function end(
  { db, notices }: AccountsContext,
  userId: number,
  provider: Provider,
  address: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUser(tx, userId);
    if (!(await disconnect(tx, userId, provider.issuer))) throw notFound('A connection');
    await assertWayIn(tx, userId, provider.issuer);
    const notice = { kind: 'single sign-on disconnected', provider: provider.name } as const;
    await notices.sendTo(tx, userId, notice, address);
  });
}
