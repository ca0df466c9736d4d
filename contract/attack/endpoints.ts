import { endpoint, endpoints } from '../endpoint.ts';
import { idOrSlugParams } from '../fields.ts';
import { AttackPage, findingParams, LastAttack, Meant, PageAttack } from './attack.ts';

export const attackEndpoints = endpoints({
  attackPage: endpoint({
    method: 'POST',
    path: '/api/pages/:id/attack',
    failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
    access: { kind: 'management', scope: 'pages:write' },
    changes: 'nothing',
    summary:
      'Copy a page with invented data and try on the copy what nobody, two strangers and a viewer of its team must not do',
    params: idOrSlugParams,
    body: AttackPage,
    bodyOptional: true,
    response: PageAttack,
  }),
  readAttack: endpoint({
    method: 'GET',
    path: '/api/pages/:id/attack',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Read what the last attack on a page has found',
    params: idOrSlugParams,
    response: LastAttack,
  }),
  keepFinding: endpoint({
    method: 'PUT',
    path: '/api/pages/:id/attack/meant/:key',
    failures: ['CONFLICT'],
    access: { kind: 'management', scope: 'pages:write' },
    summary: 'Say that a finding of attacks is meant so; only a person can',
    params: findingParams,
    response: Meant,
  }),
  forgetFinding: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/attack/meant/:key',
    access: { kind: 'management', scope: 'pages:write' },
    summary: 'Take back that a finding of attacks is meant so',
    params: findingParams,
    response: Meant,
  }),
});
