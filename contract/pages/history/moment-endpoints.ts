import { endpoint, endpoints } from '../../endpoint.ts';
import { Done, idParams } from '../../fields.ts';
import {
  KeepMoment,
  LastRestore,
  MOMENTS_SUMMARY,
  Moment,
  MomentDetail,
  MomentList,
  MomentsQuery,
  momentParams,
  RestoreBody,
  RestoredMoment,
} from './moments.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const MOMENT = '/api/pages/:id/moments/:at';

export const momentEndpoints = endpoints({
  listMoments: endpoint({
    method: 'GET',
    path: '/api/pages/:id/moments',
    access: READ,
    summary: 'List the moments of a page that can be restored, the latest first',
    params: idParams,
    query: MomentsQuery,
    response: MomentList,
  }),
  keepMoment: endpoint({
    method: 'POST',
    path: '/api/pages/:id/moments',
    failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
    access: WRITE,
    changes: 'nothing',
    summary: `Keep the state of a page with its functions, records and databases under a name; ${MOMENTS_SUMMARY}`,
    params: idParams,
    body: KeepMoment,
    status: 201,
    response: Moment,
  }),
  getMoment: endpoint({
    method: 'GET',
    path: MOMENT,
    access: READ,
    summary: 'Look at a moment: a preview of the page as it was, and what it had',
    params: momentParams,
    response: MomentDetail,
  }),
  deleteMoment: endpoint({
    method: 'DELETE',
    path: MOMENT,
    failures: ['CONFLICT'],
    access: WRITE,
    summary: 'Delete a moment that has a name',
    params: momentParams,
    response: Done,
  }),
  restoreMoment: endpoint({
    method: 'POST',
    path: '/api/pages/:id/restore',
    failures: ['CONFLICT', 'QUOTA_EXCEEDED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN', 'UNAVAILABLE'],
    access: WRITE,
    summary: 'Move a page, its functions, records and databases back to a moment, for everybody at once',
    params: idParams,
    body: RestoreBody,
    response: RestoredMoment,
  }),
  getRestore: endpoint({
    method: 'GET',
    path: '/api/pages/:id/restore',
    access: READ,
    summary: 'Read how far the last restore of a page is',
    params: idParams,
    response: LastRestore,
  }),
});
