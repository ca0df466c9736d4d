import { z } from 'zod';
import { username } from '../../../../contract/accounts/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, seeOther, validate } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { t } from '../../../sites/screens/index.ts';
import { findRemovalLink } from '../logins/sign-in.ts';
import { assertSessionStands } from '../model/session-store.ts';
import { assertPasswordStands, findUserByLogin } from '../model/store.ts';
import { isNameFree } from '../registration/register.ts';
import { leadingTo } from '../screens/account-forms.ts';
import type { Tried } from '../screens/form-screen.ts';
import { orRefused } from '../screens/screens.ts';
import { connectUser } from './connect.ts';
import type { SingleSignOnContext } from './context.ts';
import type { Identified } from './flows.ts';
import { firstFree } from './identity.ts';
import {
  confirmScreen,
  failedScreen,
  finishPath,
  loginFirstScreen,
  passwordScreen,
  usernameScreen,
} from './screens.ts';
import { findConnected, insertConnection } from './store.ts';

const Form = z.record(z.string(), z.string());

interface Visitor {
  actor: Actor | undefined;
  request: Request;
  address: string;
}

/** Routes for people who log in for the first time: they connect an account, or create one. */
export function finishRoutes(context: SingleSignOnContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/login/sso/finish',
      access: { kind: 'screen' },
      summary: 'Connect an account to the single sign-on provider, or create one',
      query: z.object({ flow: z.string().max(50).optional() }),
      handle: ({ query, ...visitor }) =>
        withFlow(context, visitor.request, query.flow, (flow) => ask(context, flow, visitor, {})),
    }),
    finishForm(context, '/login/sso/connect', 'Connect an account with the provider', connectByForm),
    finishForm(
      context,
      '/login/sso/register',
      'Create an account for a person of the provider',
      registerByForm,
    ),
  ];
}

type Attempt = (
  context: SingleSignOnContext,
  flow: Identified,
  form: Record<string, string>,
  visitor: Visitor,
) => Promise<Response>;

/** The route of a form that finishes a login. An expected error shows the form again. */
function finishForm(context: SingleSignOnContext, path: string, summary: string, attempt: Attempt): Route {
  return route({
    method: 'POST',
    path,
    access: { kind: 'account door' },
    summary,
    body: Form,
    acceptsForm: true,
    handle: ({ body: form, ...visitor }) =>
      withFlow(context, visitor.request, form.flow, async (flow) => {
        try {
          return await attempt(context, flow, form, visitor);
        } catch (error) {
          const leaving = findRemovalLink(error);
          if (leaving !== undefined) return seeOther(leaving, { 'set-cookie': context.flows.end(flow.id) });
          if (!(error instanceof AppError)) throw error;
          return ask(context, flow, visitor, { error, form });
        }
      }),
  });
}

async function withFlow(
  context: SingleSignOnContext,
  request: Request,
  id: string | undefined,
  show: (flow: Identified) => Promise<Response>,
): Promise<Response> {
  const flow = context.flows.identified(request, id ?? '');
  if (flow) return show(flow);
  const error = new AppError(
    'FORBIDDEN',
    'This login has ended, or took longer than 10 minutes. Log in again.',
  );
  return failedScreen({ title: t('Log in again'), error, retry: '/login/sso' }, context);
}

/** Shows the form that asks for what is missing: a username, or proof of the account. */
async function ask(
  context: SingleSignOnContext,
  flow: Identified,
  { actor, address }: Visitor,
  tried: Tried,
): Promise<Response> {
  const { db, provider } = context;
  const { email = '@', suggestion } = flow.identity;
  if ((await findConnected(db, flow.identity)) !== undefined)
    return failedScreen(
      { title: t('Log in again'), error: alreadyConnected(), retry: '/login/sso' },
      context,
    );
  const owner = await findUserByLogin(db, email);
  const frame = await leadingTo(context, flow.next);
  if (owner) {
    const shown = { provider: provider.name, username: owner.username, tried };
    if (actor?.userId === owner.id) return confirmScreen(flow, shown, frame);
    return owner.password_hash ? passwordScreen(flow, shown, frame) : loginFirstScreen(flow, shown, frame);
  }
  return orRefused({ ...context, singleSignOn: undefined }, flow, address, async () => {
    const form = tried.form ?? {
      username: await firstFree(
        suggestion,
        async (name) => !(await isNameFree(db, name, { now: context.now() })),
      ),
    };
    return usernameScreen(flow, { provider: provider.name, tried: { ...tried, form } }, frame);
  });
}

/** Connects the account that has the address, for its user only: they give the password, or have just logged in. */
async function connectByForm(
  context: SingleSignOnContext,
  flow: Identified,
  form: Record<string, string>,
  { actor, request, address }: Visitor,
): Promise<Response> {
  const { db } = context;
  const owner = await findUserByLogin(db, flow.identity.email ?? '@');
  if (!owner) throw new AppError('CONFLICT', 'There is no longer an account with this address.');
  if (actor?.userId === owner.id) {
    await context.proveItIsYou(actor, {}, address);
    const assertStill = (tx: Tx) => assertSessionStands(tx, actor, context.now());
    await connectUser(context, { userId: owner.id, assertStill }, flow.identity, address);
    return leave(context, flow);
  }
  const given = { username: owner.username, password: form.password ?? '' };
  const user = await context.checkCredentials(given, { request, address });
  // The username can belong to another account since it was looked up.
  if (user.id !== owner.id) throw new AppError('CONFLICT', 'This account has changed. Try again.');
  if (user.needs_second_factor === 1) return context.askSecondFactor(user, finishPath(flow.id));
  // Log in first, so that an account that is suspended or about to be deleted is not connected.
  const cookie = await context.signIn({ user, method: 'password', request, address });
  const assertStill = async (tx: Tx) => void (await assertPasswordStands(tx, user));
  await connectUser(context, { userId: user.id, assertStill }, flow.identity, address);
  return leave(context, flow, cookie);
}

async function registerByForm(
  context: SingleSignOnContext,
  flow: Identified,
  form: Record<string, string>,
  { request, address }: Visitor,
): Promise<Response> {
  const { identity, invite } = flow;
  const given = validate(z.object({ username }), { username: form.username?.trim() });
  const account = { ...given, email: identity.email ?? '', ...(invite !== undefined && { invite }) };
  const user = await context.register(account, address, {
    confirmsEmail: true,
    async onAdded(tx, user) {
      if (!(await insertConnection(tx, user.id, identity, context.now()))) throw alreadyConnected();
    },
  });
  return leave(context, flow, await context.signIn({ user, method: 'single sign-on', request, address }));
}

function alreadyConnected(): AppError {
  return new AppError('CONFLICT', 'Your account is already connected. Log in with it.');
}

/** Finishes the login, and redirects to where the person wanted to go. */
function leave({ flows }: SingleSignOnContext, { id, next }: Identified, cookie?: string): Response {
  const response = seeOther(next, { 'set-cookie': flows.end(id) });
  if (cookie !== undefined) response.headers.append('set-cookie', cookie);
  return response;
}
