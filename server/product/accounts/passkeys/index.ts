import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { CookieJar, Route } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import type { KnownUser } from '../logins/password-check.ts';
import { storedIssuer } from '../model/login-methods.ts';
import { passkeyLoginRoutes } from './login-routes.ts';
import { Passkeys } from './passkeys.ts';
import { PendingLogins } from './pending-login.ts';
import { passkeyRoutes } from './routes.ts';
import { passkeyScreens } from './screens.ts';
import { SecondFactor } from './second-factor.ts';

/** Passkeys, the second factor and recovery codes. */
interface PasskeyLogins {
  /** Asks for the second factor after a correct password. */
  askSecondFactor(user: KnownUser, next: string): Response;
  /** Turns off the second factor of a user and sends them a notice. False if it was already off. */
  clearSecondFactor(tx: Tx, userId: number): Promise<boolean>;
  routes(context: RoutesContext): Route[];
}

type OwnParts = 'passkeys' | 'secondFactor' | 'pendingLogins';
type RoutesContext = Omit<Parameters<typeof passkeyScreens>[0], OwnParts>;

export function createPasskeyLogins(options: {
  db: Db;
  key: ServiceKey;
  cookies: CookieJar;
  limits: Limits;
  notices: SecurityNotices;
  now: () => number;
  config: {
    baseUrl: string;
    oidc: { issuer: string } | undefined;
    attempts: { loginFailuresPerAddress: number };
  };
}): PasskeyLogins {
  const { baseUrl, oidc, attempts } = options.config;
  const issuer = oidc && storedIssuer(oidc);
  const secondFactor = new SecondFactor(options);
  const pendingLogins = new PendingLogins(options);
  const failuresPerAddress = attempts.loginFailuresPerAddress;
  const passkeys = new Passkeys({ ...options, baseUrl, issuer, secondFactor, failuresPerAddress });
  return {
    askSecondFactor: (user, next) => pendingLogins.ask(user, next),
    clearSecondFactor: (tx, userId) => secondFactor.turnOff(tx, userId),
    routes(others) {
      const context = { ...others, passkeys, secondFactor, pendingLogins };
      return [...passkeyRoutes(context), ...passkeyLoginRoutes(context), ...passkeyScreens(context)];
    },
  };
}
