import {
  ProviderList,
  ProviderResult,
  ProviderTest,
  providerParams,
} from '../../../../contract/admin/providers.ts';
import { StorageReport } from '../../../../contract/admin/storage-report.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import type { AdminContext } from '../context.ts';
import { listProviders, ProviderTester } from './providers.ts';
import { createStorageReports } from './storage.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** What the service stores, and what it uses. */
export function serviceRoutes(context: AdminContext): Route[] {
  const storageReport = createStorageReports(context);
  const tester = new ProviderTester(context);
  return [
    route({
      method: 'GET',
      path: '/api/admin/storage',
      operationId: 'getStorageReport',
      access,
      summary: 'What fills the disk, and who stores the most',
      response: StorageReport,
      handle: () => storageReport(),
    }),
    route({
      method: 'GET',
      path: '/api/admin/providers',
      operationId: 'listProviders',
      access,
      summary: 'List the external services that this server uses, and whether they are configured',
      response: ProviderList,
      handle: () => ({ providers: listProviders(context) }),
    }),
    route({
      method: 'POST',
      path: '/api/admin/providers/:name/test',
      operationId: 'testProvider',
      failures: ['CONFLICT'],
      access,
      summary: 'Test a provider; with `to`, the test of mail sends a mail',
      params: providerParams,
      body: ProviderTest,
      bodyOptional: true,
      response: ProviderResult,
      handle: ({ params, body, actor, address }) => tester.test(params.name, body, { actor, address }),
    }),
  ];
}
