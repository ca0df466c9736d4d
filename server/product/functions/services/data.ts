import { recordEndpoints } from '../../../../contract/data/endpoints.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Caller } from '../../../platform/http/index.ts';
import { type Asker, type EnvService, readRound, type ServicesContext } from './context.ts';
import { callAs, findOwner } from './own-api.ts';
import { DataOperation } from './questions.ts';

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const ENDPOINTS = {
  list: 'listRecords',
  count: 'countRecords',
  get: 'getRecord',
  create: 'createRecord',
  update: 'updateRecord',
  replace: 'replaceRecord',
  delete: 'deleteRecord',
} as const satisfies Record<DataOperation['op'], string>;
const WITH_ID: readonly string[] = ['get', 'update', 'replace', 'delete'];
const WITH_DATA: readonly string[] = ['create', 'update', 'replace'];

/** `env.DATA`: the records of the function's page. */
export function createDataService(context: ServicesContext): EnvService<typeof DataOperation> {
  return {
    question: DataOperation,
    async run(asker, { type, collection, op, id, query, data, visit }, request) {
      // Other last parts of the path mean something else than a record.
      if (WITH_ID.includes(op) && !RECORD_ID.test(id ?? '')) throw notFound('This record was not found.');
      const caller =
        visit === undefined
          ? { actor: await findOwner(context, asker) }
          : await findVisitor(context, asker, visit);
      const params = { id: asker.page.id, collection, ...(id !== undefined && { recordId: id }) };
      const round = readRound(request);
      return callAs(
        context,
        { ...caller, ...(round && { round }) },
        recordEndpoints[`${type}_data`][ENDPOINTS[op]],
        {
          params,
          query: toApiQuery(query),
          ...(WITH_DATA.includes(op) && { body: { data } }),
        },
      );
    },
  };
}

/** The visitor who called the function. Somebody who did not call it from the page is a guest. */
async function findVisitor(
  { whoCalls }: ServicesContext,
  { asking, page }: Asker,
  visit: string,
): Promise<Caller> {
  if (visit === '') return { actor: undefined };
  const found = await whoCalls.findVisitor(visit, asking.id);
  if (found?.pageId !== page.id)
    throw new AppError(
      'UNAUTHORIZED',
      'The visitor of this request is not known any more: DATA.as works for five minutes after a call, with the request that the function got, while the visitor is logged in.',
    );
  const { actor, passFor } = found;
  return { actor, ...(passFor && { passFor }) };
}

/** In URLs, a search is called `q`, as everywhere. */
function toApiQuery({ search, ...query }: Record<string, unknown>): Record<string, unknown> {
  return search === undefined ? query : { ...query, q: search };
}
