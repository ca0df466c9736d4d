import { savedQueryEndpoints } from '../../../../../contract/functions/saved-query-endpoints.ts';
import { toTimestamp } from '../../../../lib/timestamp.ts';
import { handle, type Route } from '../../../../platform/http/index.ts';
import { createOwn } from '../../model/access.ts';
import { requireDatabase } from '../database.ts';
import { addSavedQuery, patchSavedQuery, removeSavedQuery, type SavedQueriesContext } from './change.ts';
import { listSavedQueries } from './store.ts';

/** The queries that the owner of a database keeps for later. Functions that share a database share them. */
export function savedQueryRoutes(context: SavedQueriesContext): Route[] {
  const { db } = context;
  const own = createOwn(db);
  return [
    handle(savedQueryEndpoints.listSavedQueries, async ({ params, actor }) => {
      const { databaseId } = requireDatabase(await own(params.slug, actor));
      return { queries: (await listSavedQueries(db, databaseId)).map(toSavedQuery) };
    }),
    handle(savedQueryEndpoints.createSavedQuery, async ({ params, body, actor }) =>
      toSavedQuery(await addSavedQuery(context, actor, params.slug, body)),
    ),
    handle(savedQueryEndpoints.updateSavedQuery, async ({ params, body, actor }) =>
      toSavedQuery(await patchSavedQuery(context, actor, params, body)),
    ),
    handle(savedQueryEndpoints.deleteSavedQuery, ({ params, actor }) =>
      removeSavedQuery(context, actor, params),
    ),
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
