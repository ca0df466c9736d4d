import { z } from 'zod';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, seeOther } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { t } from '../../../sites/screens/index.ts';
import { findRemovalLink } from '../logins/sign-in.ts';
import { assertSessionStands } from '../model/session-store.ts';
import { confirmEmail, findUserById } from '../model/store.ts';
import { startPath } from '../screens/provider-button.ts';
import { safeNext } from '../screens/screens.ts';
import { connectUser } from './connect.ts';
import { logFailure, type SingleSignOnContext } from './context.ts';
import { MAX_NEXT_LETTERS, type Purpose, type Started, shortenState } from './flows.ts';
import type { Identity } from './identity.ts';
import { failedScreen, finishPath } from './screens.ts';
import { findConnected, touchConnection } from './store.ts';

/** Characters of an invite: more than any invite has. */
const MAX_INVITE_LETTERS = 200;

/** The person at a browser. */
interface Visitor {
  actor: Actor | undefined;
  request: Request;
  address: string;
}

/** Routes that lead to the provider, and back. */
export function loginRoutes(context: SingleSignOnContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/login/sso',
      access: { kind: 'screen' },
      summary: 'Log in with single sign-on',
      query: z.object({ next: z.string().optional(), invite: z.string().max(MAX_INVITE_LETTERS).optional() }),
      async handle({ query, actor, request }) {
        const asked = safeNext(query.next, context.baseUrl);
        const next = asked.length <= MAX_NEXT_LETTERS ? asked : '/';
        if (actor) return seeOther(next);
        const purpose = { next, ...(query.invite && { invite: query.invite }) };
        return orFailed(context, purpose, async () => {
          const { url, cookies } = await startFlow(context, request, purpose);
          return withCookies(seeOther(url), cookies);
        });
      },
    }),
    route({
      method: 'GET',
      path: '/login/sso/callback',
      access: { kind: 'screen' },
      summary: 'Where the single sign-on provider sends people back to',
      query: z.object({ state: z.string().max(200).optional() }),
      handle: ({ query, actor, request, address }) =>
        comeBack(context, query.state ?? '', { actor, request, address }),
    }),
  ];
}

/** Starts a login. The cookies have to reach the browser before it goes to the URL. */
export async function startFlow(
  { flows, provider }: SingleSignOnContext,
  request: Request,
  purpose: Purpose,
): Promise<{ url: string; cookies: string[] }> {
  const { flow, cookies } = flows.start(request, purpose);
  return { url: await provider.authorizationUrl(flow), cookies };
}

async function comeBack(context: SingleSignOnContext, state: string, visitor: Visitor): Promise<Response> {
  const { flows, failures, provider } = context;
  const { request } = visitor;
  const flow = flows.started(request, state);
  if (!flow)
    return failedScreen({ title: t('Log in again'), error: notOpen(), retry: '/login/sso' }, context);
  const response = await orFailed(context, flow, async () => {
    const from = limitKey(visitor.address);
    await failures.take(from);
    // Claim the login only after the limit, because every claim is remembered for a while.
    if (!(await flows.claim(flow))) throw notOpen();
    const identity = await provider.redeem(new URL(request.url).searchParams, flow);
    await failures.giveBack(from);
    return arrive(context, flow, identity, visitor);
  });
  // Clear the cookie first, because a login that continues sets the same cookie again.
  const others = response.headers.getSetCookie();
  response.headers.delete('set-cookie');
  return withCookies(response, [flows.end(shortenState(state)), ...others]);
}

function notOpen(): AppError {
  return new AppError(
    'FORBIDDEN',
    'This login was not started in this browser, was already used, or took longer than 10 minutes.',
  );
}

/** Logs in the user of an identity, connects their account, or asks a new person to finish. */
async function arrive(
  context: SingleSignOnContext,
  flow: Started,
  identity: Identity,
  visitor: Visitor,
): Promise<Response> {
  const { db, now, flows, provider } = context;
  if (flow.connects) return connectAccount(context, flow, identity, visitor);
  const userId = await findConnected(db, identity);
  const user = userId === undefined ? undefined : await findUserById(db, userId);
  if (user) {
    const { request, address } = visitor;
    const cookie = await context.signIn({ user, method: 'single sign-on', request, address });
    await db.transaction().execute(async (tx) => {
      await touchConnection(tx, identity, now());
      if (identity.email !== undefined && identity.isEmailVerified)
        await confirmEmail(tx, user.id, identity.email, now());
    });
    return seeOther(flow.next, { 'set-cookie': cookie });
  }
  if (identity.email === undefined || !identity.isEmailVerified)
    throw notVerified(provider.name, identity.email);
  const { id, cookie } = flows.keep(flow, identity);
  return seeOther(finishPath(id), { 'set-cookie': cookie });
}

/** The error for an unverified address: it can be somebody else's, who would lose it to a new account here. */
function notVerified(provider: string, email: string | undefined): AppError {
  return email === undefined
    ? new AppError(
        'FORBIDDEN',
        '{provider} does not say your e-mail address. Verify it there and try again. If you have an account here, log in with its password and connect it under Account.',
        { provider },
      )
    : new AppError(
        'FORBIDDEN',
        '{provider} has not verified that {email} is yours. Verify it there and try again. If you have an account here, log in with its password and connect it under Account.',
        { provider, email },
      );
}

async function connectAccount(
  context: SingleSignOnContext,
  { connects, next }: Started,
  identity: Identity,
  { actor, address }: Visitor,
): Promise<Response> {
  if (!connects || actor?.userId !== connects.userId || actor.sessionId !== connects.sessionId)
    throw new AppError(
      'FORBIDDEN',
      'You were logged out in the meantime. Log in and connect your account again.',
    );
  // The session can have ended while the person was at the provider.
  const assertStill = (tx: Tx) => assertSessionStands(tx, actor, context.now());
  await connectUser(context, { userId: actor.userId, assertStill }, identity, address);
  return seeOther(next);
}

/** Shows an expected error with a way to try again. */
async function orFailed(
  context: SingleSignOnContext,
  { next, invite, connects }: Purpose,
  attempt: () => Promise<Response>,
): Promise<Response> {
  try {
    return await attempt();
  } catch (error) {
    const leaving = findRemovalLink(error);
    if (leaving !== undefined) return seeOther(leaving);
    if (!(error instanceof AppError)) throw error;
    logFailure(context, error);
    const retry = connects ? next : startPath({ next, invite });
    const title = error.code === 'UNAVAILABLE' ? t('Temporarily unavailable') : t('You are not logged in');
    return failedScreen({ title, error, retry }, context);
  }
}

function withCookies(response: Response, cookies: string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
