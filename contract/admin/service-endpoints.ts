import { endpoint, endpoints } from '../endpoint.ts';
import { ACCOUNT_SCOPE, ADMIN_SCOPE } from '../scopes.ts';
import { ActivityList, ActivityQuery, AuditList, AuditQuery } from './audit.ts';
import { HealthReport } from './health.ts';
import { ProviderList, ProviderResult, ProviderTest, providerParams } from './providers.ts';
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
    summary: 'Test a provider; with `to`, the test of mail sends a mail',
    params: providerParams,
    body: ProviderTest,
    bodyOptional: true,
    response: ProviderResult,
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
