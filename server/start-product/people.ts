import { domainOrigin } from '../../contract/pages/pages.ts';
import { toCredits, toTokens } from '../../contract/rules/credit-amounts.ts';
import { PAGE_SCOPES } from '../../contract/scopes.ts';
import { AppError } from '../lib/errors.ts';
import type { Actor } from '../platform/http/index.ts';
import type { Tx } from '../platform/storage/index.ts';
import {
  type Accounts,
  chargeWithoutQuota,
  createAccounts,
  leavingAccounts,
  PASSED_ON_MS,
  readUsername,
  tokenLimits,
} from '../product/accounts/index.ts';
import { usableScopes } from '../product/agents/index.ts';
import { readCopied } from '../product/branches/index.ts';
import { Credits, creditsOfMany, grant, openCreditAccount, readCredits } from '../product/credits/index.ts';
import { demandFileAccess } from '../product/data/index.ts';
import { type Functions, functionLimits } from '../product/functions/index.ts';
import { createOAuth, disconnectApps, type OAuth } from '../product/oauth/index.ts';
import { listBranches, type PageDirectory, type Pages, renamePerson } from '../product/pages/index.ts';
import { type Privacy, RETURN_MS } from '../product/privacy/index.ts';
import type { ReportsSlice } from '../product/reports/index.ts';
import { createTeams, type Teams } from '../product/teams/index.ts';
import type { Platform } from '../start-platform.ts';
import { readAgentFunctions } from './agents.ts';
import type { BlockOwner } from './blocking.ts';

export function startCredits(platform: Platform, others: { directory: PageDirectory }): Credits {
  const { db } = platform;
  const { directory } = others;
  return new Credits({
    ...platform,
    tokenLimits,
    functionLimits,
    readUsername: (userId) => readUsername(db, userId),
    pages: directory,
  });
}

/** What to do when logins of a user have ended: their streams, exports and WebSockets end, on all nodes. */
export function createLoginsEnded(
  { streams, broadcast }: Platform,
  endSockets: (userId: number) => void,
  endExports: (userId: number) => void,
) {
  const endHere = (userId: number) => {
    streams.endUserStreams(userId);
    endExports(userId);
  };
  broadcast.subscribe('logins ended', (userId) => endHere(Number(userId)));
  return (userId: number) => {
    endHere(userId);
    broadcast.publish('logins ended', userId);
    endSockets(userId);
  };
}

export function startAccounts(
  platform: Platform,
  others: {
    directory: PageDirectory;
    leavingLink: Parameters<typeof createAccounts>[0]['leavingLink'];
    loginsEnded(userId: number): void;
  },
): Accounts {
  const { config, connections, db, now, databases } = platform;
  return createAccounts({
    ...platform,
    databaseBytes: (userId) => databases.databaseBytes(userId),
    readCopied,
    openCredits: (tx, userId) =>
      openCreditAccount(tx, { userId, credits: connections.newUserCredits.credits, now: now() }),
    readCredits: (userId) => readCredits(db, userId),
    disconnectApps,
    renamePerson: (tx, from, to) => renamePerson(tx, { from, to }, chargeWithoutQuota),
    leavingLink: others.leavingLink,
    loginsEnded: others.loginsEnded,
    async domainBehind(path) {
      const slug = /^\/p\/([^/?#]{1,100})/.exec(path)?.[1];
      const page = slug === undefined ? undefined : await others.directory.find(db, slug);
      return page?.domain && page.is_published === 1 ? domainOrigin(config.baseUrl, page.domain) : undefined;
    },
  });
}

export function startOAuth(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    pages: Pages;
    loginsEnded(userId: number): void;
  },
): OAuth {
  const { db } = platform;
  const { accounts, directory, pages } = others;
  return createOAuth({
    ...platform,
    logins: accounts.clientLogins,
    loginsEnded: others.loginsEnded,
    onConnected: (tx, userId, { name, scopes }) =>
      accounts.notices.sendTo(tx, userId, { kind: 'app connected', appName: name, scopes }),
    pages: {
      async introduce(idOrSlug: string, actor: Actor | undefined) {
        const page = await directory.find(db, idOrSlug);
        const shown = await directory.introduce(db, page, { actor }).catch(orUndefined);
        if (!shown || shown !== page) return shown && { ...shown, scopes: PAGE_SCOPES };
        // A page that this person can see asks only for what it can use.
        const { id, name, slug } = page;
        const functions = await readAgentFunctions(db, page);
        return { id, name, slug, scopes: usableScopes(page, functions.length > 0) };
      },
      describe: (ids, actor) => directory.describe(db, ids, actor),
      ofDomain: async (domain) => pages.domains.table.find(domain),
    },
  });
}

/** Undefined for a page that does not exist, or that this person cannot see. */
function orUndefined(error: unknown): undefined {
  const isHidden = (code: string) => code === 'NOT_FOUND' || code === 'FORBIDDEN' || code === 'TAKEN_DOWN';
  if (error instanceof AppError && isHidden(error.code)) return undefined;
  throw error;
}

export function startTeams(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory; accessChanged(pageId: number): void },
): Teams {
  return createTeams({
    ...platform,
    pages: others.directory,
    chargeUsage: others.accounts.chargeUsage,
    demandFileAccess,
    readUsername: (userId) => readUsername(platform.db, userId),
    async accessChanged(pageId) {
      others.accessChanged(pageId);
      // A branch has the team of its page.
      for (const { id } of await listBranches(platform.db, pageId)) others.accessChanged(id);
    },
  });
}

function forUsers({ administration, makeResetLink, clearSecondFactor }: Accounts, now: () => number) {
  return Object.assign(administration, {
    clearSecondFactor,
    keep: (tx: Tx, deletion: Parameters<typeof leavingAccounts.keepAccount>[1]) =>
      leavingAccounts.keepAccount(tx, deletion, now()),
    makeResetLink: async (tx: Tx, id: number) => ({
      link: await makeResetLink(tx, id),
      expiresAt: now() + PASSED_ON_MS,
    }),
  });
}

/** What administrators can see and do with accounts, credits, pages and functions. */
export function forAdministrators(
  { db, now, mail, baseUrl, instance, connections, serviceSettings }: Platform,
  slices: {
    accounts: Accounts;
    pages: Pages;
    functions: Functions;
    privacy: Privacy;
    blockOwner: BlockOwner;
    pageReports: ReportsSlice;
  },
) {
  return {
    ...{ db, now, mail, baseUrl, instance, connections, serviceSettings, blockOwner: slices.blockOwner },
    users: forUsers(slices.accounts, now),
    pages: slices.pages.administration,
    functions: slices.functions.administration,
    upholdReports: slices.pageReports.uphold,
    requestRemoval: slices.privacy.removals.request.bind(slices.privacy.removals),
    returnMs: RETURN_MS,
    readCredits: (userIds: number[]) => creditsOfMany(db, userIds),
    async grantCredits(tx: Tx, userId: number, credits: number, reason: string): Promise<number | undefined> {
      const balance = await grant(tx, { userId, tokens: toTokens(credits), reason, now: now() });
      return balance === undefined ? undefined : toCredits(balance);
    },
  };
}
