import type { z } from 'zod';
import type { ServiceName } from '../../../../workers/protocol.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { validate } from '../../../platform/http/index.ts';
import type { ServiceCaller } from '../../../runtime/cells/index.ts';
import type { Asker, EnvService, ServicesContext } from './context.ts';
import { createDataService } from './data.ts';
import { createFormsService } from './forms.ts';
import { createFunctionsService } from './functions.ts';
import { createMailService } from './mail.ts';

/** Starts the services in `env` that are for functions of pages. Each knows from its socket which function asks. */
export function startServices(context: ServicesContext): void {
  const start = <Question extends z.ZodType>(
    name: ServiceName,
    { question, run }: EnvService<Question>,
  ): void =>
    context.cells.useService(name, async (from, request) => {
      const asker = await findAsker(context, name, from);
      const given = await request.json().catch(() => undefined);
      return run(asker, validate(question, given), request);
    });
  start('data', createDataService(context));
  start('forms', createFormsService(context));
  start('functions', createFunctionsService(context));
  start('mail', createMailService(context));
}

/** The function that asks, and its page. Both are as they are now: a cell can outlive either. */
async function findAsker(
  { db, pages, registry }: ServicesContext,
  name: ServiceName,
  { ownerId, functionId }: ServiceCaller,
): Promise<Asker> {
  const asking = await registry.byId(functionId);
  if (!asking || asking.ownerId !== ownerId || asking.block) throw notFound('This function was not found.');
  const page = asking.pageId === null ? undefined : await pages.find(db, String(asking.pageId));
  if (page?.owner_id !== ownerId)
    throw new AppError(
      'FORBIDDEN',
      'The function {slug} belongs to no page, and env.{name} is for functions of a page. Add it to the functions of a page: in the settings of the page, or with PATCH /api/pages/<id> and "functions".',
      { slug: asking.slug, name: name.toUpperCase() },
    );
  return { asking: { ...asking, ownerId }, page };
}
