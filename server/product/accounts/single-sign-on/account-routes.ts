import { singleSignOnEndpoints } from '../../../../contract/accounts/single-sign-on-endpoints.ts';
import { done } from '../../../../contract/fields.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../../platform/http/index.ts';
import { assertWayIn, waysIn } from '../model/login-methods.ts';
import { lockUser } from '../model/store.ts';
import type { ScreensContext } from '../screens/screens.ts';
import type { SingleSignOnContext } from './context.ts';
import { startFlow } from './login-routes.ts';
import type { Provider } from './provider.ts';
import { disconnect, findConnection } from './store.ts';

/** The path in the dashboard where people connect their account. */
const DASHBOARD = '/account/security';

/** Routes with which a logged-in user connects their account to the provider. */
export function connectionRoutes(
  context: ScreensContext,
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
    handle(singleSignOnEndpoints.getSingleSignOn, ({ actor }) => describe(context, singleSignOn, actor)),
    handle(singleSignOnEndpoints.connectSingleSignOn, async ({ body, actor, address, request }) => {
      const started = await startConnecting(configured(), actor, body, { address, request });
      const headers = new Headers({ 'cache-control': 'no-store' });
      for (const cookie of started.cookies) headers.append('set-cookie', cookie);
      return Response.json({ url: started.url }, { headers });
    }),
    handle(singleSignOnEndpoints.disconnectSingleSignOn, async ({ body, actor, address }) => {
      const { provider } = configured();
      const { id } = await context.proveItIsYou(actor, body, address);
      await end(context, id, provider, address);
      return done(`Your account is no longer connected to ${provider.name}.`);
    }),
  ];
}

async function describe(
  { db }: ScreensContext,
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
  { db, notices }: ScreensContext,
  userId: number,
  provider: Provider,
  address: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUser(tx, userId);
    if (!(await disconnect(tx, userId, provider.issuer))) throw notFound('A connection was not found.');
    await assertWayIn(tx, userId, provider.issuer);
    const notice = { kind: 'single sign-on disconnected', provider: provider.name } as const;
    await notices.sendTo(tx, userId, notice, address);
  });
}
