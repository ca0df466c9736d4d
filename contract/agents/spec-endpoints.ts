import { endpoint, endpoints } from '../endpoint.ts';
import { idOrSlugParams, idParams } from '../fields.ts';
import { AgentSpec, PutSpec, SavedSpec, SPEC_BODY_LIMIT } from './agent-spec.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;

export const specEndpoints = endpoints({
  getAgentSpec: endpoint({
    method: 'GET',
    path: '/api/pages/:id/agent-spec',
    access: { kind: 'open read' },
    summary: "Read a page's agent spec, by id or slug",
    params: idOrSlugParams,
    response: AgentSpec,
  }),
  setAgentSpec: endpoint({
    method: 'PUT',
    path: '/api/pages/:id/agent-spec',
    failures: ['QUOTA_EXCEEDED'],
    access: WRITE,
    summary: "Write a page's agent spec",
    params: idParams,
    body: PutSpec,
    bodyLimit: SPEC_BODY_LIMIT,
    response: SavedSpec,
  }),
  deleteAgentSpec: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/agent-spec',
    access: WRITE,
    summary: "Remove a page's agent spec",
    params: idParams,
    status: 204,
  }),
});
