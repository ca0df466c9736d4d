import type { ServiceKey } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { Clients } from './clients/clients.ts';
import type { IsServiceHost } from './clients/service-hosts.ts';
import type { Grants } from './grants.ts';
import type { ClientLogins, ResourcePages } from './ports.ts';
import type { Resources } from './resources.ts';

/** The dependencies of the routes and screens of OAuth. */
export interface OAuthContext {
  db: Db;
  now: () => number;
  /** Signs the question that a person is asked. */
  key: ServiceKey;
  baseUrl: string;
  limits: Limits;
  clients: Clients;
  isServiceHost: IsServiceHost;
  resources: Resources;
  grants: Grants;
  logins: ClientLogins;
  pages: ResourcePages;
}
