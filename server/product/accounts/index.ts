import type { Purge } from '../../lib/loops/sweeper.ts';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar, Identities, Log, Route } from '../../platform/http/index.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { ServiceSettings } from '../../platform/service-settings/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { PublishIntents } from '../../sites/templates/index.ts';
import type { ChargeUsage } from '../ports.ts';
import { UserAdministration } from './administration/administration.ts';
import { sendConfirmation } from './links/email.ts';
import { ForgottenPasswords } from './links/forgotten.ts';
import { makeResetLink } from './links/links.ts';
import { createFindAgain, createIdentities, createStillLoggedIn } from './logins/identities.ts';
import { KnownAddresses } from './logins/known-addresses.ts';
import { KnownDevices } from './logins/known-devices.ts';
import { SecurityNotices } from './logins/notices.ts';
import { createPageSessions, type PageSessions } from './logins/page-sessions.ts';
import { PasswordCheck } from './logins/password-check.ts';
import { createProveItIsYou, type ProveItIsYou } from './logins/reauthenticate.ts';
import { sessionRoutes } from './logins/session-routes.ts';
import { createSessions } from './logins/sessions.ts';
import { createSignIn, type LeavingLink } from './logins/sign-in.ts';
import { deleteExpiredLinks } from './model/link-store.ts';
import { createPasswords, type Passwords } from './model/passwords.ts';
import type { DisconnectApps } from './model/replace-password.ts';
import { deleteExpired } from './model/session-store.ts';
import { deleteNamesKeptUntil, type KnownUser } from './model/store.ts';
import { ownAccountRoutes } from './own-account/routes.ts';
import type { RenamePerson } from './own-account/username.ts';
import { createPasskeyLogins } from './passkeys/index.ts';
import {
  createUsage,
  type createUsageReader,
  type DatabaseBytes,
  type Quotas,
  type ReadCopied,
} from './quotas/usage.ts';
import { warnOfQuotas } from './quotas/warn.ts';
import { Admission } from './registration/admission.ts';
import { Invites } from './registration/invites.ts';
import { createRegister, type OpenCredits } from './registration/register.ts';
import { registrationRoutes } from './registration/routes.ts';
import { createSetup, type Setup } from './registration/setup.ts';
import { accountScreens } from './screens/screens.ts';
import { type ProviderSettings, singleSignOnRoutes } from './single-sign-on/index.ts';
import { ClientLogins } from './tokens/client-logins.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { Tokens } from './tokens/tokens.ts';

/** Makes sure that one administrator remains. */
export { assertNotLastAdministrator } from './administration/last-administrator.ts';
/** The actions of an operator on accounts. */
export { createOperator } from './administration/operator.ts';
/** Lists all accounts, and locks the usage of one. */
export { listAdministrators, listUsers, lockUsage } from './administration/store.ts';
/** How long a reset link works if somebody has to pass it on. */
export { PASSED_ON_MS } from './links/links.ts';
/** Names a browser for people. */
export { deviceName } from './logins/device-names.ts';
/** The accounts that pages belong to until somebody claims them, and while somebody tries them. */
export { findAnonymousOwner, findTrialOwner, peekTrialOwner } from './model/builtin-owners.ts';
/** Invented people who visit a page while it is checked. */
export * as standIns from './model/stand-ins.ts';
/** Finds the names of users, checks whether one is blocked, and makes one an administrator. */
export {
  findConfirmedEmail,
  findReachable,
  isBlocked,
  listConfirmedEmails,
  readUsername,
  readUsernames,
  setAdmin,
} from './model/store.ts';
/** The credit limits of bearer tokens. */
export { tokenLimits } from './model/token-store.ts';
/** Exports an account. */
export { exportAccount } from './privacy/export.ts';
/** SQL for account deletion. */
export * as leavingAccounts from './privacy/leaving.ts';
/** Counts what users store, without applying the quota. */
export { chargeWithoutQuota } from './quotas/usage.ts';
/** Checks the single sign-on provider, for `quire doctor`. */
export { checkProvider } from './single-sign-on/index.ts';
/** Logins of connected apps. */
export type { ClientLogins } from './tokens/client-logins.ts';

/** Accounts: users and their credentials. */
export interface Accounts {
  routes: Route[];
  identities: Identities;
  /** Looks the person behind a credential up again; undefined if it is no longer valid. */
  findAgain: ReturnType<typeof createFindAgain>;
  /** Whether the login behind a request is still valid. */
  isStillLoggedIn: ReturnType<typeof createStillLoggedIn>;
  clientLogins: ClientLogins;
  /** A token of a user for a few minutes, with which the service calls its own API on their behalf. */
  makeToken(user: Pick<Actor, 'userId' | 'isAdmin' | 'sessionId'>): Promise<string>;
  pageSessions: PageSessions;
  /** Hashes passwords. Addresses take turns, whatever the passwords are for. */
  passwords: Passwords;
  chargeUsage: ChargeUsage;
  /** How many bytes a user can still store, for storage that is not charged. */
  remaining(userId: number): Promise<number>;
  /** Reads the usage of a user. */
  readUsage: ReturnType<typeof createUsageReader>;
  setup: Setup;
  /** Makes sure that the person at a session is its user. */
  proveItIsYou: ProveItIsYou;
  /** Sends security notices to users by mail. */
  notices: SecurityNotices;
  /** Turns off the second factor of a user and sends them a notice. False if it was already off. */
  clearSecondFactor(tx: Tx, userId: number): Promise<boolean>;
  /** A link, valid for one day, that lets a user set a new password. It does not confirm an address. */
  makeResetLink(tx: Tx, userId: number): Promise<string>;
  /** The users, as administrators see and change them. */
  administration: UserAdministration;
  /** Deletes sessions, tokens, links and invites that have expired. */
  purge(): Promise<void>;
  /** Warns users whose storage is almost full. */
  warnOfQuotas: Purge;
  stop(): Promise<void>;
}

/** The rate limit of links that confirm an address, per user. */
const CONFIRMATIONS = { points: 5, seconds: 3600 };

interface AccountsOptions {
  db: Db;
  cookies: CookieJar;
  limits: Limits;
  key: ServiceKey;
  now: () => number;
  databaseBytes: DatabaseBytes;
  readCopied: ReadCopied;
  openCredits: OpenCredits;
  disconnectApps: DisconnectApps;
  leavingLink: LeavingLink;
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The domain of a page that a path of ours redirects to, if any. */
  domainBehind(path: string): Promise<string | undefined>;
  /** The balance of a user, in credits. */
  readCredits(userId: number): Promise<number>;
  serviceSettings: ServiceSettings;
  mail: Mail;
  log: Log;
  /** Changes what other slices store about a user by name. */
  renamePerson: RenamePerson;
  config: {
    baseUrl: string;
    pagesHost: string | undefined;
    quotas: Quotas;
    /** The single sign-on provider, if there is one. */
    oidc: ProviderSettings | undefined;
    attempts: {
      loginFailuresPerUsername: number;
      loginFailuresPerAddress: number;
      registrationsPerHour: number;
    };
  };
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { db, key, now, config, limits } = options;
  const addresses = new KnownAddresses({ db, key, now });
  const usage = { ...options, quotas: config.quotas };
  const context = createContext(options, addresses);
  const { sessions, passwords, forgotten, notices } = context;
  const passkeyLogins = createPasskeyLogins({ ...options, notices });
  const pageSessions = createPageSessions({ db, key, sessions, limits, now });
  const identities = createIdentities({ db, sessions, pageSessions, now });
  const { baseUrl, pagesHost } = config;
  const setup = createSetup({ db, key, baseUrl, now });
  const invites = new Invites({ ...options, baseUrl });
  const formTargets = pagesHost ? `'self' ${new URL(baseUrl).protocol}//*.${pagesHost}` : "'self'";
  const screens = {
    ...context,
    ...{ cookies: options.cookies, setup, formTargets, domainBehind: options.domainBehind },
    singleSignOn: config.oidc,
    publishIntents: new PublishIntents(options),
    askSecondFactor: passkeyLogins.askSecondFactor,
  };
  const singleSignOn = {
    ...{ key, cookies: options.cookies, limits, log: options.log, settings: config.oidc },
    maxFailures: config.attempts.loginFailuresPerAddress,
  };
  return {
    routes: [
      ...tokenRoutes(context),
      ...sessionRoutes(context),
      ...ownAccountRoutes(context),
      ...registrationRoutes({ ...options, invites }),
      ...accountScreens(screens),
      ...singleSignOnRoutes(screens, singleSignOn),
      ...passkeyLogins.routes(screens),
    ],
    identities,
    findAgain: createFindAgain(identities, pageSessions),
    isStillLoggedIn: createStillLoggedIn({ db, now }),
    clientLogins: new ClientLogins({ db, now }),
    makeToken: async (user) => (await context.tokens.forDashboard(user)).accessToken,
    pageSessions,
    passwords,
    ...createUsage(usage),
    setup,
    proveItIsYou: context.proveItIsYou,
    notices,
    clearSecondFactor: passkeyLogins.clearSecondFactor,
    makeResetLink: (tx, userId) => makeResetLink(tx, { baseUrl, now }, userId),
    administration: new UserAdministration(usage),
    warnOfQuotas: (isStopping) => warnOfQuotas({ ...usage, baseUrl }, isStopping),
    async purge() {
      await deleteExpired(db, now());
      await deleteExpiredLinks(db, now());
      await deleteNamesKeptUntil(db, now());
      await addresses.purge();
      await invites.purge();
    },
    stop: () => forgotten.stop(),
  };
}

/** Creates the context that the routes and screens share. */
function createContext(options: AccountsOptions, addresses: KnownAddresses) {
  const { db, cookies, limits, now, mail, config, openCredits, loginsEnded, renamePerson } = options;
  const { baseUrl } = config;
  const { registrationsPerHour: perHour, ...allowed } = config.attempts;
  const passwords = createPasswords();
  const sessions = createSessions({ db, cookies, now, loginsEnded });
  const devices = new KnownDevices(options);
  const passwordCheck = new PasswordCheck({ db, passwords, addresses, devices, limits, allowed });
  const notices = new SecurityNotices({ mail, addresses, limits, baseUrl, now });
  const admission = new Admission({
    ...{ db, now, limits },
    registration: (tx) => options.serviceSettings.registration(tx),
  });
  const registering = {
    ...{ db, passwords, limits, now, openCredits, perHour },
    async onRegistered(tx: Tx, user: KnownUser) {
      if (user.email_confirmed_at === null)
        await sendConfirmation({ mail, baseUrl, now }, tx, user, user.email);
    },
  };
  return {
    ...{
      db,
      now,
      admission,
      passwords,
      sessions,
      devices,
      notices,
      mail,
      baseUrl,
      loginsEnded,
      renamePerson,
    },
    readCredits: options.readCredits,
    disconnectApps: options.disconnectApps,
    checkCredentials: passwordCheck.logIn.bind(passwordCheck),
    proveItIsYou: createProveItIsYou({ db, now, passwordCheck }),
    register: createRegister({ ...registering, admission }),
    registerAnyway: createRegister({ ...registering, isTrusted: true }),
    signIn: createSignIn({ sessions, notices, leavingLink: options.leavingLink }),
    tokens: new Tokens({ db, now, notices, loginsEnded }),
    forgotten: new ForgottenPasswords({ ...options, baseUrl }),
    mailLimit: limits.limit(
      'confirmations',
      CONFIRMATIONS,
      'Too many links were sent for this account. Try again {wait}.',
    ),
  };
}
