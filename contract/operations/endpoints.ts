import { endpoint, endpoints } from '../endpoint.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import {
  Alive,
  CacheHeaders,
  ClusterJoin,
  Description,
  Health,
  Ready,
  SealedSettings,
  Unready,
} from '../service.ts';

export const operationEndpoints = endpoints({
  getHealth: endpoint({
    method: 'GET',
    path: '/healthz',
    access: { kind: 'public' },
    summary: 'Whether the service is ready',
    response: Health,
  }),
  getLiveness: endpoint({
    method: 'GET',
    path: '/livez',
    access: { kind: 'public' },
    summary: 'Whether the process runs',
    response: Alive,
  }),
  getReadiness: endpoint({
    method: 'GET',
    path: '/readyz',
    access: { kind: 'public' },
    summary: 'Whether this node should receive traffic',
    response: Ready,
    answers: [
      {
        status: 503,
        description: 'The node is about to stop, or something is wrong with it that other nodes do not have.',
        schema: Unready,
      },
    ],
  }),
  getMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    answers: [{ status: 200, description: 'Metrics in the text format of Prometheus.', type: 'text/plain' }],
    access: { kind: 'operator', scope: ADMIN_SCOPE },
    summary: 'Metrics for Prometheus',
  }),
  joinCluster: endpoint({
    method: 'POST',
    path: '/api/cluster/join',
    access: { kind: 'public' },
    summary: 'Get the settings of the cluster with a join token, once; for `quire cluster join`',
    body: ClusterJoin,
    response: SealedSettings,
    failures: ['NOT_FOUND', 'CONFLICT'],
  }),
  getDescription: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    response: Description,
    headers: CacheHeaders,
    answers: [
      { status: 200, description: 'Success.', headers: ['ETag'] },
      { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
    ],
    access: { kind: 'public' },
    summary: 'This OpenAPI document',
  }),
});
