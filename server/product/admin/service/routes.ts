import { serviceEndpoints } from '../../../../contract/admin/service-endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { AdminContext } from '../context.ts';
import { listProviders, ProviderTester } from './providers.ts';
import { createStorageReports } from './storage.ts';

/** Routes about the storage of the service, and its providers. */
export function serviceRoutes(context: AdminContext): Route[] {
  const storageReport = createStorageReports(context);
  const tester = new ProviderTester(context);
  return [
    handle(serviceEndpoints.getStorageReport, () => storageReport()),
    handle(serviceEndpoints.listProviders, () => ({ providers: listProviders(context) })),
    handle(serviceEndpoints.testProvider, ({ params, body, actor, address }) =>
      tester.test(params.name, body, { actor, address }),
    ),
  ];
}
