import { z } from 'zod';
import { RequestKey } from '../../../contract/templates/templates.ts';
import { TryQuery } from '../../../contract/templates/wishes.ts';
import { AppError } from '../../lib/errors.ts';
import { sign, verify } from '../../lib/secrets.ts';
import { type Actor, language, type Route, route, seeOther } from '../../platform/http/index.ts';
import { PUBLISH_BELOW, requireTemplate, TRY_PATH } from '../../sites/templates/index.ts';
import { type Choice, choose, toMark, toWanted } from './choose.ts';
import type { TrialsContext } from './context.ts';
import type { Trials } from './trials.ts';
import { askToPublish, publishPath, tryScreen } from './try-screen.ts';

/** Says that this browser has asked to publish something, while its person creates an account or logs in. */
const INTENT_COOKIE = 'quire_publish';
const INTENT_SECONDS = 3600;
const Intent = z.object({ of: z.string(), key: RequestKey.optional() });
type Intent = z.infer<typeof Intent>;

interface Asked {
  request: Request;
  address: string;
  requestId: string;
}

/**
 * Publishing what somebody tries. Without an account, they create one in between: what to publish is in the address
 * that they come back to, and a cookie says that they have asked for it. Without the cookie, anyone could make others
 * publish with a link, so the person is asked.
 */
export function publishRoutes(context: TrialsContext, trials: Trials): Route[] {
  const { templates, baseUrl, cookies } = context;
  return [
    route({
      method: 'POST',
      path: TRY_PATH + PUBLISH_BELOW,
      access: { kind: 'account door' },
      summary: 'Publish what somebody tries',
      body: TryQuery,
      acceptsForm: true,
      stores: true,
      async handle({ body, actor, ...asked }) {
        const choice = choose(body, templates());
        const { key } = body;
        if (!actor) return rememberIntent(context, choice, key);
        return publish(context, trials, choice, { ...asked, actor, key });
      },
    }),
    route({
      method: 'GET',
      path: TRY_PATH + PUBLISH_BELOW,
      access: { kind: 'screen' },
      summary: 'Where publishing goes on after somebody has logged in',
      query: TryQuery,
      stores: true,
      async handle({ query, actor, ...asked }) {
        const choice = choose(query, templates());
        if (!actor) return seeOther(await findDoor(context, choice));
        const intent = readIntent(context, choice, cookies.read(asked.request, INTENT_COOKIE));
        if (!intent) return askToPublish(choice, actor.username, baseUrl);
        const response = await publish(context, trials, choice, { ...asked, actor, key: intent.key });
        response.headers.append('set-cookie', cookies.clear(INTENT_COOKIE));
        return response;
      },
    }),
  ];
}

/** What this browser has asked for, if it is this choice. */
function readIntent(
  { key, now }: TrialsContext,
  choice: Choice,
  cookie: string | undefined,
): Intent | undefined {
  const { data } = Intent.safeParse(cookie && verify(key, 'publish', cookie, now()));
  return data?.of === toMark(toWanted(choice)) ? data : undefined;
}

/**
 * Remembers that this browser has asked, and leads to an account. Only the form on our own screen does this: a link or a
 * picture in somebody's page can make a browser get any address.
 */
async function rememberIntent(
  context: TrialsContext,
  choice: Choice,
  requestKey: string | undefined,
): Promise<Response> {
  const { key, now, cookies } = context;
  const intent: Intent = { of: toMark(toWanted(choice)), key: requestKey };
  const signed = sign(key, 'publish', intent, now() + INTENT_SECONDS * 1000);
  return seeOther(await findDoor(context, choice), {
    'set-cookie': cookies.set(INTENT_COOKIE, signed, INTENT_SECONDS),
  });
}

/** The screen that creates an account, or the one that logs in if nobody can create one. */
async function findDoor({ registration }: TrialsContext, choice: Choice): Promise<string> {
  const door = (await registration()) === 'open' ? '/register' : '/login';
  return `${door}?next=${encodeURIComponent(publishPath(choice))}`;
}

async function publish(
  context: TrialsContext,
  trials: Trials,
  choice: Choice,
  { request, address, requestId, actor, key }: Asked & { actor: Actor; key: string | undefined },
): Promise<Response> {
  const { templates, makeToken, publishTemplate, registration, baseUrl } = context;
  try {
    const template = requireTemplate(templates(), choice.template.key, language());
    const bearer = await makeToken(actor);
    const caller = { bearer, address, requestId };
    const { name } = choice;
    const { username } = actor;
    const wanted = { template, name, username, is_published: true, requestKey: key };
    const { page } = await publishTemplate(caller, request.signal, wanted);
    const response = seeOther(`/pages/${page.id}/share?template=${template.key}`);
    const ended = await trials.end({ request, address, requestId }).catch(() => undefined);
    if (ended) response.headers.append('set-cookie', ended);
    return response;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const mode = await registration();
    return tryScreen({ choice, baseUrl, mode, isLoggedIn: true, isLive: true, leftMs: 0, problem: error });
  }
}
