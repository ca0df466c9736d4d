import { TryQuery } from '../../../contract/templates/wishes.ts';
import { AppError } from '../../lib/errors.ts';
import { type Route, route, seeOther } from '../../platform/http/index.ts';
import { TRY_PATH, toTryPath } from '../../sites/templates/index.ts';
import { buildRoutes } from './build.ts';
import { choose, toWanted } from './choose.ts';
import type { TrialsContext } from './context.ts';
import { forFrame, isFramed, pictureDocument } from './frame.ts';
import { publishRoutes } from './publish.ts';
import { showChoice } from './show-choice.ts';
import { canTry } from './trial-state.ts';
import type { Trials } from './trials.ts';
import { FRAME_BELOW } from './try-screen.ts';

/** The screens on which people try templates. */
export function trialRoutes(context: TrialsContext, trials: Trials): Route[] {
  return [
    screenRoute(context, trials),
    frameRoute(context, trials),
    ...publishRoutes(context, trials),
    ...buildRoutes(context, trials),
  ];
}

function screenRoute(context: TrialsContext, trials: Trials): Route {
  return route({
    method: 'GET',
    path: TRY_PATH,
    access: { kind: 'screen' },
    summary: 'What somebody wants to make, to try it',
    query: TryQuery,
    async handle({ query, ...visitor }) {
      return showChoice(context, trials, choose(query, context.templates()), visitor);
    },
  });
}

function frameRoute(context: TrialsContext, trials: Trials): Route {
  const { templates, baseUrl } = context;
  return route({
    method: 'GET',
    path: TRY_PATH + FRAME_BELOW,
    access: { kind: 'screen' },
    summary: 'The page in the frame of that screen',
    query: TryQuery,
    stores: true,
    async handle({ query, request, actor, address, requestId }) {
      if (!isFramed(request, baseUrl)) return seeOther(toTryPath(query));
      const choice = choose(query, templates());
      if (!(await canTry(context, choice, actor))) return pictureDocument(choice, baseUrl);
      try {
        const known = trials.find(request, toWanted(choice));
        if (known) return forFrame(await trials.send(known, request), baseUrl);
        const { trial, cookie } = await trials.make(toWanted(choice), { request, actor, address, requestId });
        const response = forFrame(await trials.send(trial, request), baseUrl);
        response.headers.set('set-cookie', cookie);
        return response;
      } catch (error) {
        // The limits are reached, the function cannot be deployed here, or the trial is over.
        if (error instanceof AppError) return pictureDocument(choice, baseUrl);
        throw error;
      }
    },
  });
}
