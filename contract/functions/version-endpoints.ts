import { endpoint, endpoints } from '../endpoint.ts';
import { NoFields, Restored } from '../fields.ts';
import { READ, WRITE } from './access.ts';
import { slugParams } from './functions.ts';
import {
  FunctionVersion,
  FunctionVersionDetail,
  FunctionVersionList,
  functionVersionParams,
  PatchFunctionVersion,
} from './versions.ts';

export const functionVersionEndpoints = endpoints({
  listFunctionVersions: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/versions',
    access: READ,
    summary: 'List the versions of a function that are kept, newest first: the last 50',
    params: slugParams,
    response: FunctionVersionList,
  }),
  getFunctionVersion: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/versions/:version',
    access: READ,
    summary: 'Read one version: the code and files that were sent',
    params: functionVersionParams,
    response: FunctionVersionDetail,
  }),
  updateFunctionVersion: endpoint({
    method: 'PATCH',
    path: '/api/functions/:slug/versions/:version',
    access: WRITE,
    summary: 'Change the note on a version',
    params: functionVersionParams,
    body: PatchFunctionVersion,
    response: FunctionVersion,
  }),
  restoreFunctionVersion: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/versions/:version/restore',
    failures: ['QUOTA_EXCEEDED', 'DEPLOY_FAILED'],
    access: WRITE,
    summary:
      'Make an earlier version current again, as a new version; secrets and the database stay as they are',
    params: functionVersionParams,
    body: NoFields,
    bodyOptional: true,
    response: Restored,
  }),
});
