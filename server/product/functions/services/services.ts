import type { z } from 'zod';
import type { ServiceName } from '../../../../workers/protocol.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { validate } from '../../../platform/http/index.ts';
import type { ServiceCaller } from '../../../runtime/cells/index.ts';
import { createAiService } from './ai.ts';
import type { Asker, Asking, EnvService, ServicesContext } from './context.ts';
import { createDataService } from './data.ts';
import { createFormsService } from './forms.ts';
import { createFunctionsService } from './functions.ts';
import { createMailService } from './mail.ts';
import { createQueueService } from './queue.ts';
import { createTeamService } from './team.ts';

/** All functions of an owner can read and write this many times as often as an IP address can call functions. */
const TIMES_ADDRESS_LIMIT = 50;

/** Starts the services in `env`. Each knows from its socket which function asks. */
export function startServices(context: ServicesContext): void {
  const start = <Question extends z.ZodType, From extends Asking>(
    name: ServiceName,
    { question, run }: EnvService<Question, From>,
    find: (from: ServiceCaller) => Promise<From>,
  ): void =>
    context.cells.useService(name, async (from, request) => {
      const asker = await find(from);
      const given = await request.json().catch(() => undefined);
      return run(asker, validate(question, given), request);
    });
  const startForPages = <Question extends z.ZodType>(name: ServiceName, service: EnvService<Question>) =>
    start(name, service, (from) => findAsker(context, name, from));
  const counted = createCounted(context);
  startForPages('data', counted(createDataService(context)));
  startForPages('forms', counted(createFormsService(context)));
  startForPages('team', counted(createTeamService(context)));
  // These have limits of their own.
  startForPages('functions', createFunctionsService(context));
  startForPages('mail', createMailService(context));
  // Its owner pays for it, and nobody else is concerned: a function needs no page for it.
  start('ai', createAiService(context), (from) => findFunction(context, from));
  // Its messages come back to itself.
  start('queue', createQueueService(context), (from) => findFunction(context, from));
}

/** Counts what the functions of an owner read and write. */
function createCounted({ limits, config }: ServicesContext) {
  const limit = limits.limit(
    'function services',
    { points: TIMES_ADDRESS_LIMIT * config.callsPerMinute, seconds: 60 },
    'Your functions have used env.DATA, env.FORMS and env.TEAM {points} times in the last minute, which is the limit. Try again {wait}.',
  );
  return <Question extends z.ZodType>({ question, run }: EnvService<Question>): EnvService<Question> => ({
    question,
    async run(asker, asked, request) {
      await limit.take(String(asker.asking.ownerId));
      return run(asker, asked, request);
    },
  });
}

/** The function that asks, as it is now: a cell can outlive it. */
async function findFunction(
  { registry }: ServicesContext,
  { ownerId, functionId, hasQueue }: ServiceCaller,
): Promise<Asking> {
  const asking = await registry.byId(functionId);
  if (!asking || asking.ownerId !== ownerId || asking.block) throw notFound('This function was not found.');
  return { asking: { ...asking, ownerId }, hasQueue };
}

/** The function that asks, and its page. Both are as they are now. */
async function findAsker(context: ServicesContext, name: ServiceName, from: ServiceCaller): Promise<Asker> {
  const { asking } = await findFunction(context, from);
  const { db, pages } = context;
  const page = asking.pageId === null ? undefined : await pages.find(db, String(asking.pageId));
  if (page?.owner_id !== from.ownerId)
    throw new AppError(
      'FORBIDDEN',
      'The function {slug} belongs to no page, and env.{name} is for functions of a page. Add it to the functions of a page: in the settings of the page, or with PATCH /api/pages/<id> and "functions".',
      { slug: asking.slug, name: name.toUpperCase() },
    );
  return { asking, page };
}
