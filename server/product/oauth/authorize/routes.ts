import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { type Actor, type Route, route, seeOther, toLogin } from '../../../platform/http/index.ts';
import { consentScreen, refusedScreen } from '../consent-screen.ts';
import type { OAuthContext } from '../context.ts';
import { AnswerForm, OUTDATED, type Repeat, readDecision, wasAsked } from '../question.ts';
import { describeReturn, makeFormTargets, withAnswer } from '../redirect-uris.ts';
import { insertCode, touchClient } from '../store.ts';
import { type AuthorizationRequest, MAX_REQUEST, RefusedRequest, readRequest } from './request.ts';

const PATH = '/oauth/authorize';
/** How long a code is valid. Apps exchange it at once. */
const CODE_MS = 5 * 60_000;
/** The rate limit of answers per person. Each stores a row. */
const ANSWERS = { points: 60, seconds: 600 };

/** Where an app sends a person to be asked (RFC 6749, OAuth 2.1). */
export function authorizeRoutes(context: OAuthContext): Route[] {
  const perUser = context.limits.limit(
    'oauth-answers',
    ANSWERS,
    'You connected many apps just now. Try again {wait}.',
  );
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'The screen on which a person connects an app to their account',
      async handle({ request, actor, address }) {
        const search = new URL(request.url).search.slice(1);
        return orRefused(context, async () => {
          if (search.length > MAX_REQUEST) throw new RefusedRequest('The request of the app is too long.');
          if (!actor) return toLogin(`${PATH}?${search}`);
          return ask(context, actor, search, await readRequest(context, search, actor, address));
        });
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      summary: 'Submit the screen on which a person connects an app to their account',
      body: AnswerForm,
      acceptsForm: true,
      formLists: ['scope'],
      async handle({ body, actor, address }) {
        return orRefused(context, async () => {
          if (!actor) return toLogin(`${PATH}?${body.about.slice(0, MAX_REQUEST)}`);
          const request = await readRequest(context, body.about, actor, address);
          if (!wasAsked(context, actor, { about: body.about, asked: request.asked }, body.proof))
            return ask(context, actor, body.about, request, OUTDATED);
          await perUser.take(String(actor.userId));
          return answer(context, actor, body, request);
        });
      },
    }),
  ];
}

function ask(
  context: OAuthContext,
  actor: Actor,
  about: string,
  { asked, redirectUri }: AuthorizationRequest,
  repeat: Repeat = {},
): Promise<Response> {
  return consentScreen(context, actor, {
    asked,
    action: PATH,
    about,
    here: `${PATH}?${about}`,
    formTargets: makeFormTargets(redirectUri),
    returnsTo: describeReturn(redirectUri),
    ...repeat,
  });
}

async function answer(
  context: OAuthContext,
  actor: Actor,
  form: AnswerForm,
  request: AuthorizationRequest,
): Promise<Response> {
  const { asked, redirectUri, state } = request;
  const decision = readDecision(form, asked.scopes);
  if (decision.kind === 'ask again') return ask(context, actor, form.about, request, decision.repeat);
  if (decision.kind === 'deny') {
    const denial = { error: 'access_denied', error_description: 'The person did not allow it.' };
    return seeOther(withAnswer(redirectUri, { ...denial, state, iss: context.baseUrl }));
  }
  const { scopes, isForBranches } = decision;
  const allowed = { ...request, asked: { ...asked, scopes }, isForBranches };
  const code = await giveCode(context, actor, allowed);
  if (code === undefined) return toLogin(`${PATH}?${form.about}`);
  return seeOther(withAnswer(redirectUri, { code, state, iss: context.baseUrl }));
}

/** The code for the app; undefined if the person was logged out meanwhile. */
async function giveCode(
  { db, now, logins }: OAuthContext,
  actor: Actor,
  { asked, redirectUri, challenge, isForBranches }: AuthorizationRequest & { isForBranches: boolean },
): Promise<string | undefined> {
  const code = randomSecret();
  return db.transaction().execute(async (tx) => {
    if (!(await logins.lockSession(tx, actor.sessionId ?? 0))) return undefined;
    await insertCode(tx, {
      codeHash: hashSecret(code),
      userId: actor.userId,
      redirectUri,
      challenge,
      expiresAt: now() + CODE_MS,
      ...{ asked, isForBranches },
    });
    await touchClient(tx, asked.clientId, now());
    return code;
  });
}

async function orRefused(context: OAuthContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedRequest) return refusedScreen(context, error);
    throw error;
  }
}
