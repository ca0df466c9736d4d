import type { ServiceKey } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { FetchExternal } from '../../runtime/egress/index.ts';
import { appRoutes } from './apps.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { Clients } from './clients/clients.ts';
import { ClientDocuments } from './clients/documents.ts';
import { registrationRoute } from './clients/register.ts';
import { createIsServiceHost } from './clients/service-hosts.ts';
import type { OAuthContext } from './context.ts';
import { deviceCodeRoute } from './device/codes.ts';
import { deviceScreens } from './device/screens.ts';
import { Grants } from './grants.ts';
import { metadataRoutes } from './metadata.ts';
import { isOriginOfApp, readAppName } from './origins.ts';
import type { ClientLogins, OnConnected, ResourcePages } from './ports.ts';
import { Resources } from './resources.ts';
import { deleteExpired } from './store.ts';
import { tokenRoutes } from './token.ts';

/** Exports connected apps. */
export { exportApps } from './privacy/export.ts';
/** Forgets everything that a user has allowed to apps. */
export { deleteUserGrants as disconnectApps } from './store.ts';

const HOUR_MS = 3600 * 1000;
/** How long expired codes are kept, to notice if one is used twice. */
const KEEP_CODES_MS = HOUR_MS;
/** How long an app stays registered if nobody connects it, and after somebody has. */
const KEEP_UNUSED_MS = 30 * 24 * HOUR_MS;
const KEEP_USED_MS = 365 * 24 * HOUR_MS;

/** OAuth: people connect the apps of others to their accounts, without giving them a token or a password. */
export interface OAuth {
  routes: Route[];
  /** True if a web page of this origin may use this token, because both belong to one app. */
  isOriginOfApp(token: string, origin: string): Promise<boolean>;
  /** The name of the connected app that a token belongs to; undefined if it is another token. */
  readAppName(token: string): Promise<string | undefined>;
  /** Deletes codes, grants and registrations that have expired. */
  purge(): Promise<void>;
}

export function createOAuth(options: {
  db: Db;
  now: () => number;
  key: ServiceKey;
  limits: Limits;
  logins: ClientLogins;
  onConnected: OnConnected;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  pages: ResourcePages;
  fetchExternal: FetchExternal;
  config: { baseUrl: string; pagesHost: string | undefined; functionsHost: string | undefined };
}): OAuth {
  const { db, now, logins, pages } = options;
  const { baseUrl, pagesHost } = options.config;
  const isServiceHost = createIsServiceHost({ ...options.config, pages });
  const context: OAuthContext = {
    ...{ db, now, key: options.key, limits: options.limits, baseUrl, logins, pages, isServiceHost },
    clients: new Clients({ db, documents: new ClientDocuments({ ...options, baseUrl, isServiceHost }) }),
    resources: new Resources({ baseUrl, pagesHost, pages }),
    grants: new Grants({ ...options, logins }),
  };
  return {
    routes: [
      ...metadataRoutes(context),
      registrationRoute(context),
      ...authorizeRoutes(context),
      ...tokenRoutes(context),
      deviceCodeRoute(context),
      ...deviceScreens(context),
      ...appRoutes(context),
    ],
    isOriginOfApp: (token, origin) => isOriginOfApp(context, token, origin),
    readAppName: (token) => readAppName(context, token),
    purge() {
      const at = now();
      return deleteExpired(db, {
        now: at,
        codes: at - KEEP_CODES_MS,
        unused: at - KEEP_UNUSED_MS,
        used: at - KEEP_USED_MS,
      });
    },
  };
}
