import { addSizes } from '../lib/sizes.ts';
import type { Accounts } from '../product/accounts/index.ts';
import { measureSpecs } from '../product/agents/index.ts';
import type { Analytics } from '../product/analytics/index.ts';
import type { AttackSlice } from '../product/attack/index.ts';
import type { BranchesSlice } from '../product/branches/index.ts';
import type { Credits } from '../product/credits/index.ts';
import { measureData, measureLogs } from '../product/data/index.ts';
import { measureImages } from '../product/features/index.ts';
import { measureForms } from '../product/forms/index.ts';
import { type Functions, measureFunctions } from '../product/functions/index.ts';
import type { History } from '../product/history/index.ts';
import { homeRoutes } from '../product/home/index.ts';
import type { Live } from '../product/live/index.ts';
import { listForHome, listNamed, measurePages } from '../product/pages/index.ts';
import type { RepairsSlice } from '../product/repairs/index.ts';
import type { ReportsSlice } from '../product/reports/index.ts';
import { measureTeamFiles } from '../product/teams/index.ts';
import type { Platform } from '../start-platform.ts';

/** The home screen counts the pages that were changed last: more than the usual quota of pages. */
const MAX_PAGES = 1_000;

interface Others {
  accounts: Accounts;
  analytics: Analytics;
  credits: Credits;
  functions: Functions;
  live: Live;
  history: History;
  pageReports: ReportsSlice;
  repairs: RepairsSlice;
  branches: BranchesSlice;
  making: { attack: Pick<AttackSlice, 'listExposed'> };
}

export function startHome(platform: Platform, others: Others) {
  const { db, now, databases } = platform;
  // Adding up takes long for somebody who has much, and must not delay others.
  const { slowDb } = platform.storage;
  const { accounts, analytics, credits, functions, live, history, pageReports, repairs, branches, making } =
    others;
  return homeRoutes({
    now,
    readUsage: accounts.readUsage,
    readHistory: history.readShare,
    listPages: (userId) => listForHome(db, userId, MAX_PAGES),
    countOpenReports: pageReports.countOpen,
    countReports: pageReports.countOfPages,
    listTakenDownFunctions: functions.listTakenDown,
    listFailedJobs: functions.listFailedJobs,
    listRepairs: repairs.listEnded,
    listUnusedBranches: branches.listUnused,
    listExposed: making.attack.listExposed,
    readTraffic: analytics.since,
    countCalls: functions.callsSince,
    dailyViews: analytics.daily,
    dailyCalls: functions.dailyCalls,
    recentVisitors: analytics.recent,
    countPeople: live.countPeople,
    listNamed: (userId) => listNamed(slowDb, userId),
    async measurePages(ids) {
      const { documents, files } = await measurePages(slowDb, ids);
      return {
        documents: addSizes(documents, await measureSpecs(slowDb, ids)),
        files,
        images: await measureImages(slowDb, ids),
        'team files': await measureTeamFiles(slowDb, ids),
        records: await measureData(slowDb, ids),
        forms: await measureForms(slowDb, ids),
        history: addSizes(await history.measureMoments(slowDb, ids), await measureLogs(slowDb, ids)),
      };
    },
    measureFunctions: (userId) => measureFunctions({ db: slowDb, databases }, userId),
    readSpent: (actor, since) => credits.spentSince(actor, since),
  });
}
