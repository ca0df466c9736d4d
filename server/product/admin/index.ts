/** What administrators see and do: users, pages, functions, the audit log, the service. It has no tables of its own. */
export { adminRoutes } from './routes.ts';
/** A service that this one uses, and why a test of it failed. */
export { type ProviderEntry, ProviderTestError, type ProviderTests } from './service-sources.ts';
