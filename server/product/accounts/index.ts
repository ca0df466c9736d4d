import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { CookieJar, Identities, Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { createCheckCredentials } from './attempts.ts';
import type { DisconnectApps } from './context.ts';
import { createFindAgain, createIdentities } from './identities.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createRegister, type OpenCredits } from './register.ts';
import { accountRoutes } from './routes.ts';
import { accountScreens } from './screens/screens.ts';
import { createSessions } from './sessions.ts';
import { createSetup, type Setup } from './setup.ts';
import { deleteExpired } from './store.ts';
import { ClientLogins } from './tokens/client-logins.ts';
import { Tokens } from './tokens/tokens.ts';
import {
  type ChargeUsage,
  createChargeUsage,
  createRemaining,
  type DatabaseBytes,
  type Quotas,
} from './usage.ts';

/** What an operator can do with accounts. */
export { createOperator } from './operator.ts';
/** Finds the names of users, lists them with what they store, and makes one an administrator. */
export { confirmedEmailOf, listUsers, setAdmin, usernameOf } from './store.ts';
/** Logins of connected apps. */
export type { ClientLogins } from './tokens/client-logins.ts';
/** What bearer tokens may spend. */
export { tokenLimits } from './tokens/token-store.ts';
/** Counts what users store, without applying the quota. */
export { chargeWithoutQuota } from './usage.ts';

/** Accounts: users and their credentials. */
export interface Accounts {
  routes: Route[];
  identities: Identities;
  /** Looks the person behind a credential up again; undefined if it is no longer valid. */
  findAgain: ReturnType<typeof createFindAgain>;
  clientLogins: ClientLogins;
  pageSessions: PageSessions;
  /** Hashes passwords. Addresses take turns, whatever the passwords are for. */
  passwords: Passwords;
  chargeUsage: ChargeUsage;
  /** How many bytes a user can still store, apart from what is charged. */
  remaining(userId: number): Promise<number>;
  setup: Setup;
  /** Deletes sessions and tokens that have expired. */
  purge(): Promise<void>;
}

interface AccountsOptions {
  db: Db;
  cookies: CookieJar;
  limits: Limits;
  key: Buffer;
  now: () => number;
  databaseBytes: DatabaseBytes;
  openCredits: OpenCredits;
  disconnectApps: DisconnectApps;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The domain that a path of ours leads on to, if it does. */
  domainBehind(path: string): Promise<string | undefined>;
  /** The balance of a user, in credits. */
  creditsOf(userId: number): Promise<number>;
  config: {
    baseUrl: string;
    pagesHost: string | undefined;
    registration: 'open' | 'closed';
    quotas: Quotas;
    attempts: {
      loginFailuresPerUsername: number;
      loginFailuresPerAddress: number;
      registrationsPerHour: number;
    };
  };
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { db, cookies, limits, key, now, config, openCredits, creditsOf, disconnectApps, loginsEnded } =
    options;
  const passwords = createPasswords();
  const sessions = createSessions({ db, cookies, now, loginsEnded });
  const pageSessions = createPageSessions({ db, key, sessions, limits, now });
  const identities = createIdentities({ db, sessions, pageSessions, now });
  const setup = createSetup({ db, key, baseUrl: config.baseUrl, now });
  const context = {
    db,
    now,
    registration: config.registration,
    passwords,
    checkCredentials: createCheckCredentials({ db, passwords, limits, allowed: config.attempts }),
    register: createRegister({
      ...{ db, passwords, limits, now, openCredits },
      perHour: config.attempts.registrationsPerHour,
    }),
    sessions,
    tokens: new Tokens({ db, now }),
    creditsOf,
    disconnectApps,
    loginsEnded,
  };
  const { baseUrl, pagesHost } = config;
  const formTargets = pagesHost ? `'self' ${new URL(baseUrl).protocol}//*.${pagesHost}` : "'self'";
  const screens = { baseUrl, setup, formTargets, domainBehind: options.domainBehind };
  return {
    routes: [...accountRoutes(context), ...accountScreens({ ...context, ...screens })],
    identities,
    findAgain: createFindAgain(identities, pageSessions),
    clientLogins: new ClientLogins({ db, now }),
    pageSessions,
    passwords,
    chargeUsage: createChargeUsage(config.quotas, options.databaseBytes),
    remaining: createRemaining(db, config.quotas),
    setup,
    purge: () => deleteExpired(db, now()),
  };
}
