import { endpoint, endpoints } from '../endpoint.ts';
import { READ, WRITE } from './access.ts';
import { slugParams } from './functions.ts';
import {
  NewSavedQuery,
  PatchSavedQuery,
  SAVED_QUERY_BODY_LIMIT,
  SavedQuery,
  SavedQueryList,
  savedQueryParams,
} from './saved-queries.ts';

const PATH = '/api/functions/:slug/database/queries';

export const savedQueryEndpoints = endpoints({
  listSavedQueries: endpoint({
    method: 'GET',
    path: PATH,
    access: READ,
    summary: 'List the saved queries of the database, by name',
    params: slugParams,
    response: SavedQueryList,
  }),
  createSavedQuery: endpoint({
    method: 'POST',
    path: PATH,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    summary: 'Save a query of the database for later',
    params: slugParams,
    body: NewSavedQuery,
    bodyLimit: SAVED_QUERY_BODY_LIMIT,
    status: 201,
    response: SavedQuery,
  }),
  updateSavedQuery: endpoint({
    method: 'PATCH',
    path: `${PATH}/:id`,
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    summary: 'Rename or change a saved query',
    params: savedQueryParams,
    body: PatchSavedQuery,
    bodyLimit: SAVED_QUERY_BODY_LIMIT,
    response: SavedQuery,
  }),
  deleteSavedQuery: endpoint({
    method: 'DELETE',
    path: `${PATH}/:id`,
    access: WRITE,
    summary: 'Delete a saved query',
    params: savedQueryParams,
    status: 204,
  }),
});
