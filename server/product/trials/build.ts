import { randomBytes } from 'node:crypto';
import { BuilderEvent } from '../../../contract/agents/builder.ts';
import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { TryQuery } from '../../../contract/templates/wishes.ts';
import { AppError } from '../../lib/errors.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { type Actor, openApiStream, type Route, route, seeOther } from '../../platform/http/index.ts';
import { BUILD_BELOW, PublishIntents, TRY_PATH, toTryPath } from '../../sites/templates/index.ts';
import { askToBuild } from './build-screen.ts';
import { choose } from './choose.ts';
import type { TrialsContext, Visitor } from './context.ts';
import { findDoor } from './publish.ts';
import { showChoice } from './show-choice.ts';
import type { Trials } from './trials.ts';

/** How long the builder may take to begin. */
const BEGIN_MS = 60_000;

const buildPath = (wish: string) => toTryPath({ wish }, BUILD_BELOW);

/**
 * Starting the builder with what somebody said. It spends their credits, so it needs a login, and a cookie that says
 * that this browser has asked for it: a link alone asks the person first. People for whom the builder cannot work get
 * the nearest template instead.
 */
export function buildRoutes(context: TrialsContext, trials: Trials): Route[] {
  const { offersBuilder } = context;
  const intents = new PublishIntents(context);
  return [
    route({
      method: 'POST',
      path: TRY_PATH + BUILD_BELOW,
      access: { kind: 'account door' },
      summary: 'Build what somebody wants to make',
      body: TryQuery,
      acceptsForm: true,
      stores: true,
      async handle({ body: { wish, key = randomBytes(16).toString('hex') }, actor, ...asked }) {
        if (wish === '' || !(await offersBuilder(actor?.userId))) return seeOther(toTryPath({ wish }));
        if (actor) return build(context, trials, wish, { ...asked, actor, key });
        const headers = { 'set-cookie': intents.remember(buildPath(wish), key) };
        return seeOther(await findDoor(context, buildPath(wish)), headers);
      },
    }),
    route({
      method: 'GET',
      path: TRY_PATH + BUILD_BELOW,
      access: { kind: 'screen' },
      summary: 'Where building goes on after somebody has logged in',
      query: TryQuery,
      stores: true,
      async handle({ query: { wish }, actor, ...asked }) {
        if (wish === '' || !(await offersBuilder(actor?.userId))) return seeOther(toTryPath({ wish }));
        if (!actor) return seeOther(await findDoor(context, buildPath(wish)));
        const key = intents.find(asked.request, buildPath(wish))?.key;
        if (key === undefined) return askToBuild(wish, actor.username, context.baseUrl);
        const response = await build(context, trials, wish, { ...asked, actor, key });
        response.headers.append('set-cookie', intents.forget());
        return response;
      },
    }),
  ];
}

type Builder = Visitor & { actor: Actor; key: string };

/** Starts the builder and leads to the screen that shows what it does. */
async function build(
  context: TrialsContext,
  trials: Trials,
  wish: string,
  builder: Builder,
): Promise<Response> {
  try {
    const response = seeOther(`/pages/build/${await beginOnce(context, trials, wish, builder)}`);
    const ended = await trials.end(builder).catch(() => undefined);
    if (ended) response.headers.append('set-cookie', ended);
    return response;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const choice = choose({ wish, template: '', name: '' }, context.templates());
    return showChoice(context, trials, choice, builder, error);
  }
}

/** Begins a run on a new page, unless the same request has: its response may have been lost. Returns the page. */
async function beginOnce(
  context: TrialsContext,
  trials: Trials,
  wish: string,
  { actor, key, address, requestId }: Builder,
): Promise<number> {
  const digest = hashSecret(JSON.stringify(['build', key, actor.userId, wish]));
  const known = await context.findRequested(digest);
  if (known !== undefined) return known;
  const bearer = await context.makeToken(actor);
  const reading = new AbortController();
  const exchange = {
    caller: { bearer, address, requestId },
    signal: AbortSignal.any([reading.signal, AbortSignal.timeout(BEGIN_MS)]),
  };
  try {
    const body = { prompt: wish };
    const stream = await openApiStream(trials.api, exchange, builderEndpoints.buildNewPage, { body });
    const page = await readPage(stream);
    await context.insertRequest(page, digest);
    return page;
  } finally {
    // The run goes on without a reader.
    reading.abort();
  }
}

/** The first event of a run has its page. */
async function readPage(stream: ReadableStream<Uint8Array>): Promise<number> {
  let found: number | undefined;
  const parser = new EventParser(({ data }) => {
    const event = data === undefined ? undefined : BuilderEvent.parse(JSON.parse(data));
    if (event?.type === 'run') found ??= event.run?.page.id;
  });
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    parser.push(decoder.decode(piece, { stream: true }));
    if (found !== undefined) return found;
  }
  throw new Error('the builder did not say which page it builds');
}
