/** What administrators see and do: users, pages, functions, the audit log, the service. It has no tables of its own. */
export { adminRoutes } from './routes.ts';
/** Tests the external services that this server uses. */
export { createProviderTests } from './service/provider-tests.ts';
export type { ProviderTests } from './service-sources.ts';
