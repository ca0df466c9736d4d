import { slugParams } from '../../../../contract/functions/functions.ts';
import {
  NewSavedQuery,
  PatchSavedQuery,
  SAVED_QUERY_BODY_LIMIT,
  SavedQuery,
  SavedQueryList,
  savedQueryParams,
} from '../../../../contract/functions/saved-queries.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, READ, WRITE } from '../access.ts';
import { requireDatabase } from '../database/database.ts';
import { addSavedQuery, patchSavedQuery, removeSavedQuery, type SavedQueriesContext } from './change.ts';
import { listSavedQueries } from './store.ts';

const PATH = '/api/functions/:slug/database/queries';

/** The queries that the owner of a database keeps for later. Functions that share a database share them. */
export function savedQueryRoutes(context: SavedQueriesContext): Route[] {
  const { db } = context;
  const own = createOwn(db);
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listSavedQueries',
      access: READ,
      summary: 'List the saved queries of the database, by name',
      params: slugParams,
      response: SavedQueryList,
      async handle({ params, actor }) {
        const { databaseId } = requireDatabase(await own(params.slug, actor));
        return { queries: (await listSavedQueries(db, databaseId)).map(toSavedQuery) };
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      operationId: 'createSavedQuery',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Save a query of the database for later',
      params: slugParams,
      body: NewSavedQuery,
      bodyLimit: SAVED_QUERY_BODY_LIMIT,
      status: 201,
      response: SavedQuery,
      handle: async ({ params, body, actor }) =>
        toSavedQuery(await addSavedQuery(context, signedIn(actor), params.slug, body)),
    }),
    route({
      method: 'PATCH',
      path: `${PATH}/:id`,
      operationId: 'updateSavedQuery',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Rename or change a saved query',
      params: savedQueryParams,
      body: PatchSavedQuery,
      bodyLimit: SAVED_QUERY_BODY_LIMIT,
      response: SavedQuery,
      handle: async ({ params, body, actor }) =>
        toSavedQuery(await patchSavedQuery(context, signedIn(actor), params, body)),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'deleteSavedQuery',
      access: WRITE,
      summary: 'Delete a saved query',
      params: savedQueryParams,
      status: 204,
      handle: ({ params, actor }) => removeSavedQuery(context, signedIn(actor), params),
    }),
  ];
}

interface Row {
  id: number;
  name: string;
  sql: string;
  created_at: number;
  updated_at: number;
}

const toSavedQuery = ({ id, name, sql, created_at, updated_at }: Row) => ({
  id,
  name,
  sql,
  createdAt: toTimestamp(created_at),
  updatedAt: toTimestamp(updated_at),
});
