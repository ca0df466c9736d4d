import { z } from 'zod';
import type { AppScope } from '../../../../contract/scopes.ts';
import { blockMatcher, limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, toLogin } from '../../../platform/http/index.ts';
import { askedAs, type Html, html, say, sayError, screen, t } from '../../../sites/screens/index.ts';
import { consentScreen } from '../consent-screen.ts';
import type { OAuthContext } from '../context.ts';
import type { AccessRequest } from '../ports.ts';
import { AnswerForm, OUTDATED, type Repeat, readDecision, wasAsked } from '../question.ts';
import { touchClient } from '../store.ts';
import { readUserCode, showUserCode } from './codes.ts';
import { decideDeviceCode, findByUserCode } from './store.ts';

const PATH = '/device';
/** Wrong codes, per person and per IP address. */
const GUESSES = { points: 10, seconds: 900 };
const GUESSES_BY_ADDRESS = { points: 50, seconds: 900 };

const isLoopback = blockMatcher(['127.0.0.0/8', '::1']);

const DeviceForm = AnswerForm.extend({ user_code: z.string().max(100).optional() });
type DeviceForm = z.infer<typeof DeviceForm>;
type DeviceCode = NonNullable<Awaited<ReturnType<typeof findByUserCode>>>;

/** The screens where a person types the code that a program shows. */
export function deviceScreens(context: OAuthContext): Route[] {
  const lookUp = createLookUp(context);
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'The screen on which a person types the code of a program',
      query: z.object({ user_code: z.string().max(100).optional() }),
      async handle({ query: { user_code: typed = '' }, actor }) {
        const code = readUserCode(typed);
        if (!actor) return toLogin(code ? `${PATH}?user_code=${showUserCode(code)}` : PATH);
        return codeScreen(context, actor, { typed: code ? showUserCode(code) : '' });
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      summary: 'Submit the screen on which a person types the code of a program',
      body: DeviceForm,
      acceptsForm: true,
      formLists: ['scope'],
      async handle({ body, actor, address }) {
        if (!actor) return toLogin(PATH);
        const typed = (body.user_code ?? body.about).slice(0, 20);
        try {
          const found = await lookUp(typed, actor, address);
          if (body.user_code !== undefined) return ask(context, actor, found, address);
          return await answer(context, actor, found, body, address);
        } catch (error) {
          if (error instanceof AppError) return codeScreen(context, actor, { typed, error });
          throw error;
        }
      },
    }),
  ];
}

/** Finds a code. Only wrong ones count towards the limits. */
function createLookUp({ db, now, limits }: OAuthContext) {
  const message = 'Too many wrong codes. Try again {wait}.';
  const perUser = limits.limit('oauth-code-user', GUESSES, message);
  const perAddress = limits.limit('oauth-code-address', GUESSES_BY_ADDRESS, message);
  return async (typed: string, { userId }: Actor, address: string): Promise<DeviceCode> => {
    const [user, from] = [String(userId), limitKey(address)];
    await perAddress.take(from);
    await perUser.take(user);
    const code = readUserCode(typed);
    const found = code && (await findByUserCode(db, code, now()));
    if (!found)
      throw new AppError('NOT_FOUND', 'This code is wrong, or it has expired. Check it, or get a new one.');
    await perAddress.giveBack(from);
    await perUser.giveBack(user);
    return found;
  };
}

async function ask(
  context: OAuthContext,
  actor: Actor,
  found: DeviceCode,
  address: string,
  repeat: Repeat = {},
): Promise<Response> {
  const code = showUserCode(found.user_code);
  return consentScreen(context, actor, {
    asked: await toAsked(context, actor, found),
    action: PATH,
    about: code,
    here: `${PATH}?user_code=${code}`,
    formTargets: "'self'",
    notice: warning(context, found, address),
    ...repeat,
  });
}

/** The warning against an attacker who starts a program and sends its code to somebody else. */
function warning({ now }: OAuthContext, found: DeviceCode, address: string): Html {
  const minutes = Math.round((now() - found.created_at) / 60_000);
  const when =
    minutes === 0 ? t('just now') : t('{count|a minute ago|{count} minutes ago}', { count: minutes });
  const from = isSamePlace(found.address, address)
    ? t('your own network address')
    : say`the network address <strong>${found.address}</strong>. Yours is ${address}`;
  return html`<p class="notice">${say`Only allow this if you started the program yourself, and it shows <strong>${showUserCode(found.user_code)}</strong>. If somebody sent you this code or a link, they want to use your account. The program asked ${when}, from ${from}.`}</p>`;
}

/** Whether two IP addresses are one place. On this machine, a program and a browser may use different ones. */
function isSamePlace(one: string, other: string): boolean {
  return limitKey(one) === limitKey(other) || (isLoopback(one) && isLoopback(other));
}

async function answer(
  context: OAuthContext,
  actor: Actor,
  found: DeviceCode,
  form: DeviceForm,
  address: string,
): Promise<Response> {
  const asked = await toAsked(context, actor, found);
  if (!wasAsked(context, actor, { about: form.about, asked }, form.proof))
    return ask(context, actor, found, address, OUTDATED);
  const decision = readDecision(form, asked.scopes);
  if (decision.kind === 'ask again') return ask(context, actor, found, address, decision.repeat);
  if (decision.kind === 'deny') {
    await decide(context, actor, found, {});
    return endScreen(context, t('Not allowed'), say`The program gets no access. You can close this tab.`);
  }
  await decide(context, actor, found, decision);
  return endScreen(
    context,
    t('Connected'),
    say`<strong>${found.name}</strong> continues by itself in a few seconds. You can close this tab.`,
  );
}

async function decide(
  { db, now, logins }: OAuthContext,
  actor: Actor,
  found: DeviceCode,
  { scopes, isForBranches = false }: { scopes?: readonly AppScope[]; isForBranches?: boolean },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await logins.lockSession(tx, actor.sessionId ?? 0)))
      throw new AppError('UNAUTHORIZED', 'You were logged out meanwhile. Log in again.');
    if (!(await decideDeviceCode(tx, found.code_hash, { userId: actor.userId, scopes, isForBranches })))
      throw new AppError('NOT_FOUND', 'This code was already used. Get a new one from the program.');
    if (scopes) await touchClient(tx, found.client_id, now());
  });
}

/** Looks the resource up again: this person must be able to see the page, and another may have its address by now. */
async function toAsked({ resources }: OAuthContext, actor: Actor, found: DeviceCode): Promise<AccessRequest> {
  const resource = await resources.find(found.resource, actor);
  if (!resource || (resource.page?.id ?? null) !== found.page_id)
    throw new AppError(
      'NOT_FOUND',
      'The program asks for a page that no longer exists. Start again in the program.',
    );
  return {
    clientId: found.client_id,
    name: found.name,
    origin: found.origin,
    isVerified: found.is_verified === 1,
    resource: resource.uri,
    page: resource.page,
    scopes: resource.scopes.filter((scope) => found.scopes.split(' ').includes(scope)),
  };
}

function codeScreen(
  { baseUrl }: OAuthContext,
  actor: Actor,
  { typed, error }: { typed: string; error?: AppError },
): Promise<Response> {
  const title = t('Connect a program');
  const described = error
    ? html` aria-invalid="true" aria-describedby="problem hint"`
    : html` aria-describedby="hint"`;
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`Type the code that the program shows, for example after <code>quire login</code>.`}</p>
${error ? html`<div class="error" role="alert"><p id="problem"><a href="#user_code">${sayError(error)}</a></p></div>` : ''}
<form method="post" action="${PATH}">
<div class="field"><label for="user_code">${t('Code')}</label>
<input id="user_code" name="user_code" class="code" value="${typed}" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20"${described}>
<p class="hint" id="hint">${t('Eight letters. Never type a code that somebody sent you.')}</p></div>
<button>${t('Continue')}</button>
</form>
${askedAs(actor.username, PATH)}
</section>`;
  const status = error?.status ?? 200;
  return screen(
    { title: error ? t('Error: {title}', { title }) : title, body },
    { baseUrl, formTargets: "'self'", status, headers: error?.headers ?? {} },
  );
}

function endScreen({ baseUrl }: OAuthContext, title: string, text: Html): Promise<Response> {
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${text}</p>
<p class="foot"><a href="/account/apps">${t('See your connected apps')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}
