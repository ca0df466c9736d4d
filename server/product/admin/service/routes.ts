import { serviceEndpoints } from '../../../../contract/admin/service-endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { findModelServers } from '../../../platform/providers/index.ts';
import type { AdminContext } from '../context.ts';
import { connect, disconnect, setNewUserCredits } from './connection.ts';
import { readFirstSteps } from './first-steps.ts';
import { findStatus, listProviders, ProviderTester } from './providers.ts';
import { createStorageReports } from './storage.ts';

/** Routes about the storage of the service, and its providers. */
export function serviceRoutes(context: AdminContext): Route[] {
  const storageReport = createStorageReports(context);
  const tester = new ProviderTester(context);
  return [
    handle(serviceEndpoints.getStorageReport, () => storageReport()),
    handle(serviceEndpoints.listProviders, () => ({ providers: listProviders(context) })),
    handle(serviceEndpoints.connectProvider, async ({ params: { name }, body, actor, address }) => {
      await connect(context, name, body, { actor, address });
      return findStatus(context, name);
    }),
    handle(serviceEndpoints.disconnectProvider, async ({ params: { name }, actor, address }) => {
      await disconnect(context, name, { actor, address });
      return findStatus(context, name);
    }),
    handle(serviceEndpoints.listModelServers, async () => ({ servers: await findModelServers() })),
    handle(serviceEndpoints.getNewUserCredits, () => context.connections.newUserCredits),
    handle(serviceEndpoints.setNewUserCredits, ({ body, actor, address }) =>
      setNewUserCredits(context, body.credits, { actor, address }),
    ),
    handle(serviceEndpoints.getFirstSteps, () => readFirstSteps(context)),
    handle(serviceEndpoints.hideFirstSteps, async ({ body }) => {
      await context.serviceSettings.hideFirstSteps(body.isHidden);
      return readFirstSteps(context);
    }),
    handle(serviceEndpoints.testProvider, ({ params, body, actor, address }) =>
      tester.test(params.name, body, { actor, address }),
    ),
  ];
}
