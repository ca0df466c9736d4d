import { endpoint, endpoints } from '../endpoint.ts';
import { ACCOUNT_SCOPE, ADMIN_SCOPE } from '../scopes.ts';
import { ActivityList, ActivityQuery, AuditList, AuditQuery } from './audit.ts';
import {
  connectableParams,
  ModelServers,
  NewConnection,
  NewUserCredits,
  SetNewUserCredits,
} from './connections.ts';
import { FirstSteps, HideFirstSteps } from './first-steps.ts';
import { HealthReport } from './health.ts';
import { ProviderList, ProviderResult, ProviderStatus, ProviderTest, providerParams } from './providers.ts';
import { StorageReport } from './storage-report.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

export const serviceEndpoints = endpoints({
  getHealthReport: endpoint({
    method: 'GET',
    path: '/api/admin/health',
    access: { kind: 'management', scope: ADMIN_SCOPE },
    summary: 'How the service is doing, now and in the last hour',
    response: HealthReport,
  }),
  getStorageReport: endpoint({
    method: 'GET',
    path: '/api/admin/storage',
    access,
    summary: 'What fills the disk, and who stores the most',
    response: StorageReport,
  }),
  listProviders: endpoint({
    method: 'GET',
    path: '/api/admin/providers',
    access,
    summary: 'List the external services that this server uses, and whether they are configured',
    response: ProviderList,
  }),
  testProvider: endpoint({
    method: 'POST',
    path: '/api/admin/providers/:name/test',
    failures: ['CONFLICT'],
    access,
    summary: 'Test a provider, as it is or as `connection` says; with `to`, the test of mail sends a mail',
    params: providerParams,
    body: ProviderTest,
    bodyOptional: true,
    response: ProviderResult,
  }),
  connectProvider: endpoint({
    method: 'PUT',
    path: '/api/admin/providers/:name/connection',
    failures: ['CONFLICT'],
    access,
    summary: 'Connect a model or a search, at once and on all nodes',
    params: connectableParams,
    body: NewConnection,
    response: ProviderStatus,
  }),
  disconnectProvider: endpoint({
    method: 'DELETE',
    path: '/api/admin/providers/:name/connection',
    failures: ['CONFLICT'],
    access,
    summary: 'Disconnect a model or a search, and forget its key',
    params: connectableParams,
    response: ProviderStatus,
  }),
  listModelServers: endpoint({
    method: 'GET',
    path: '/api/admin/model-servers',
    access,
    summary: 'List the model servers that run on the machine of this server',
    response: ModelServers,
  }),
  getNewUserCredits: endpoint({
    method: 'GET',
    path: '/api/admin/new-user-credits',
    access,
    summary: 'The credits that a new account gets',
    response: NewUserCredits,
  }),
  setNewUserCredits: endpoint({
    method: 'PUT',
    path: '/api/admin/new-user-credits',
    failures: ['CONFLICT'],
    access,
    summary: 'Set the credits that a new account gets',
    body: SetNewUserCredits,
    response: NewUserCredits,
  }),
  getFirstSteps: endpoint({
    method: 'GET',
    path: '/api/admin/first-steps',
    access,
    summary: 'What to set up on a new server, and what is done',
    response: FirstSteps,
  }),
  hideFirstSteps: endpoint({
    method: 'PATCH',
    path: '/api/admin/first-steps',
    access,
    summary: 'Hide the list of what to set up, or show it again',
    body: HideFirstSteps,
    response: FirstSteps,
  }),
  listAuditEntries: endpoint({
    method: 'GET',
    path: '/api/admin/audit',
    access: { kind: 'management', scope: ADMIN_SCOPE },
    summary: 'Who did what, when and from where, the newest first; kept for 400 days',
    query: AuditQuery,
    response: AuditList,
  }),
  listActivity: endpoint({
    method: 'GET',
    path: '/api/auth/activity',
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'What administrators did to your account, pages and functions, the newest first',
    query: ActivityQuery,
    response: ActivityList,
  }),
});
