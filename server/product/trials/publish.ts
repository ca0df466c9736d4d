import { TryQuery } from '../../../contract/templates/wishes.ts';
import { AppError } from '../../lib/errors.ts';
import { type Actor, language, type Route, route, seeOther } from '../../platform/http/index.ts';
import { PUBLISH_BELOW, PublishIntents, requireTemplate, TRY_PATH } from '../../sites/templates/index.ts';
import { type Choice, choose } from './choose.ts';
import type { TrialsContext, Visitor } from './context.ts';
import { showChoice } from './show-choice.ts';
import type { Trials } from './trials.ts';
import { askToPublish, publishPath } from './try-screen.ts';

/**
 * Publishing what somebody tries. Without an account, they create one in between: what to publish is in the address
 * that they come back to, and a cookie says that they have asked for it. Without the cookie, anyone could make others
 * publish with a link, so the person is asked.
 */
export function publishRoutes(context: TrialsContext, trials: Trials): Route[] {
  const { templates, baseUrl } = context;
  const intents = new PublishIntents(context);
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
        if (actor) return publish(context, trials, choice, { ...asked, actor, key });
        // Only the form on our own screen does this: a link or a picture in a page can make a browser get any address.
        const headers = { 'set-cookie': intents.remember(publishPath(choice), key) };
        return seeOther(await findDoor(context, publishPath(choice)), headers);
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
        if (!actor) return seeOther(await findDoor(context, publishPath(choice)));
        const intent = intents.find(asked.request, publishPath(choice));
        if (!intent) return askToPublish(choice, actor.username, baseUrl);
        const response = await publish(context, trials, choice, { ...asked, actor, key: intent.key });
        response.headers.append('set-cookie', intents.forget());
        return response;
      },
    }),
  ];
}

/** The screen that creates an account, or the one that logs in if nobody can create one. */
export async function findDoor({ registration }: TrialsContext, next: string): Promise<string> {
  const door = (await registration()) === 'open' ? '/register' : '/login';
  return `${door}?next=${encodeURIComponent(next)}`;
}

async function publish(
  context: TrialsContext,
  trials: Trials,
  choice: Choice,
  { request, address, requestId, actor, key }: Visitor & { actor: Actor; key: string | undefined },
): Promise<Response> {
  const { templates, makeToken, publishTemplate } = context;
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
    return showChoice(context, trials, choice, { request, actor, address, requestId }, error);
  }
}
