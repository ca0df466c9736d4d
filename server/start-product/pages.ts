import { ACTIVITY_DAYS } from '../../contract/accounts/home/home.ts';
import { createWhoIs } from '../platform/http/index.ts';
import {
  type Accounts,
  findAnonymousOwner,
  findConfirmedEmail,
  isBlocked,
  leavingAccounts,
  peekTrialOwner,
  standIns,
} from '../product/accounts/index.ts';
import { copySpec, freeSpec } from '../product/agents/index.ts';
import type { Analytics } from '../product/analytics/index.ts';
import { type BranchesSlice, findMergeUrl } from '../product/branches/index.ts';
import { type Checks, createChecks, removeScreenshotsWithPage } from '../product/checks/index.ts';
import { copySchemas, type Data, freeRecords, hasRecords, readPublicRecords } from '../product/data/index.ts';
import { removeImagesWithPage } from '../product/features/index.ts';
import type { Forms } from '../product/forms/index.ts';
import {
  createPageFunctions,
  findPublicFunctions,
  functionsKnownTo,
  hasFunction,
  listPagesBeside,
  listPagesOfFunction,
} from '../product/functions/index.ts';
import type { History } from '../product/history/index.ts';
import { PageDirectory, type Pages, Passes, Protection, startPages } from '../product/pages/index.ts';
import type { PageAttacks } from '../product/ports.ts';
import { removePicturesWithPage } from '../product/reports/index.ts';
import {
  findMemberByName,
  findRole,
  listMemberships,
  putMember,
  type Teams,
} from '../product/teams/index.ts';
import type { Platform } from '../start-platform.ts';
import { describingPages } from './agents.ts';

export function createDirectory({ key, now }: Platform): PageDirectory {
  return new PageDirectory({
    findRole,
    passes: new Passes({ key, now }),
    findConfirmedEmail,
    isBlocked,
    now,
  });
}

/** Keeps programs from changing pages that are protected from them. */
export function createProtection({ db, baseUrl }: Platform, directory: PageDirectory): Protection {
  return new Protection({
    db,
    directory,
    listPagesOfFunction,
    listPagesBeside,
    findMergeUrl: (from, pageId, name) => findMergeUrl({ db: from, baseUrl }, pageId, name),
    isBranch: (page) => page.branch_of !== null,
  });
}

export function startPageSlice(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    data: Data;
    teams: Teams;
    forms: Forms;
    analytics: Analytics;
    accessChanged(pageId: number): void;
    history: History;
    branches: BranchesSlice;
    attacks: PageAttacks;
    /** Called when a function belongs to another page than before. */
    functionChanged(functionId: number): void;
  },
): Promise<Pages> {
  const { db, kept, now } = platform;
  const moments = others.history.keeper;
  const { directory, data, teams, forms, analytics } = others;
  const { identities, pageSessions, passwords, chargeUsage } = others.accounts;
  return startPages({
    ...platform,
    whoIs: createWhoIs({ ...platform, identities }),
    directory,
    pageSessions,
    passwords,
    chargeUsage,
    copies: [copySpec(now), copySchemas(now)],
    removals: [
      freeRecords,
      others.history.removeWithPage,
      freeSpec,
      teams.removeFiles,
      forms.removeWithPage,
      removeImagesWithPage({ kept }),
      removeScreenshotsWithPage({ kept }),
      removePicturesWithPage({ kept }),
    ],
    empty: data.empty,
    removeParts: others.branches.removeParts,
    attacks: { ...others.attacks, attackCopy: others.branches.attackCopy },
    describeBranch: others.branches.describe,
    functionsKnownTo: (...asked) => functionsKnownTo(db, ...asked),
    describe: describingPages(platform).describe,
    functions: createPageFunctions({ pages: directory, now, moments, changed: others.functionChanged }),
    readDataAccess: data.readAccess,
    readPublicRecords,
    hasFunction: (id) => hasFunction(db, id),
    loaded: analytics.traffic.loaded.bind(analytics.traffic),
    countRecentViews: (pageIds) => countRecentViews(analytics, pageIds),
    ...{ findPublicFunctions, listMemberships },
    onChange: others.accessChanged,
    moments,
    findAnonymousOwner: () => findAnonymousOwner(db, now()),
    peekTrialOwner: () => peekTrialOwner(db),
    ...platform.serviceSettings.forReaders,
  });
}

async function countRecentViews(analytics: Analytics, pageIds: number[]): Promise<Map<number, number>> {
  const seen = await analytics.daily(pageIds, ACTIVITY_DAYS);
  return new Map(seen.map(({ pageId, views }) => [pageId, views.reduce((sum, day) => sum + day, 0)]));
}

export function startChecks(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    pages: Pages;
    data: Data;
    teams: Teams;
    accessChanged(pageId: number): void;
  },
): Checks {
  const { directory, data, teams } = others;
  const { serving } = others.pages;
  return createChecks({
    ...platform,
    makeCheckSession: others.accounts.pageSessions.makeForCheck,
    people: {
      insert: standIns.insertStandIn,
      block: standIns.blockStandIn,
      list: standIns.listStandIns,
      remove: leavingAccounts.deleteUser,
      async removeStored(userId, page) {
        await data.stored.deleteOnPage(userId, page, Number.POSITIVE_INFINITY);
        await data.stored.forgetCounts(userId);
        await teams.stored.deleteOnPage(userId, page);
      },
      hasStored: async (tx, userId) => (await hasRecords(tx, userId)) || (await teams.stored.has(tx, userId)),
      findRole: async (db, page, username) => (await findMemberByName(db, page, username))?.role,
      join: putMember,
      accessChanged: others.accessChanged,
    },
    pages: directory,
    makePreviewUrl: others.pages.makePreviewUrl,
    sendWithSession: serving.sendWithSession.bind(serving),
  });
}
