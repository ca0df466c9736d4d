import { errorParams } from '../analytics/analytics.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { Done, idParams } from '../fields.ts';
import { REPAIRS_PER_DAY } from './kinds.ts';
import { Repair, RepairList, repairParams, StartRepair } from './repairs.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const REPAIR = '/api/pages/:id/repairs/:repair';

export const repairEndpoints = endpoints({
  startRepair: endpoint({
    method: 'POST',
    path: '/api/pages/:id/errors/:fingerprint/repair',
    failures: [
      'CONFLICT',
      'FORBIDDEN',
      'INSUFFICIENT_SCOPE',
      'NOT_INSTALLED',
      'QUOTA_EXCEEDED',
      'UNAVAILABLE',
    ],
    access: WRITE,
    changes: 'nothing',
    summary: `Let the builder repair an error on a branch, and prove it there; at most ${REPAIRS_PER_DAY} a day for a page`,
    params: errorParams,
    body: StartRepair,
    bodyOptional: true,
    status: 202,
    response: Repair,
  }),
  listRepairs: endpoint({
    method: 'GET',
    path: '/api/pages/:id/repairs',
    access: READ,
    summary: 'List the repairs of a page, the last one first',
    params: idParams,
    response: RepairList,
  }),
  getRepair: endpoint({
    method: 'GET',
    path: REPAIR,
    access: READ,
    summary: 'Read how far a repair is, and its evidence',
    params: repairParams,
    response: Repair,
  }),
  cancelRepair: endpoint({
    method: 'DELETE',
    path: REPAIR,
    failures: ['CONFLICT'],
    access: WRITE,
    changes: 'nothing',
    summary: 'Stop a repair that is under way; its branch is deleted',
    params: repairParams,
    response: Done,
  }),
});
