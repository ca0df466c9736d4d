import type { Accounts } from '../product/accounts/index.ts';
import type { Analytics } from '../product/analytics/index.ts';
import type { Functions } from '../product/functions/index.ts';
import type { History } from '../product/history/index.ts';
import { homeRoutes } from '../product/home/index.ts';
import type { Live } from '../product/live/index.ts';
import { listForHome } from '../product/pages/index.ts';
import type { RepairsSlice } from '../product/repairs/index.ts';
import type { ReportsSlice } from '../product/reports/index.ts';
import type { Platform } from '../start-platform.ts';

/** The home screen counts the pages that were changed last: more than the usual quota of pages. */
const MAX_PAGES = 1_000;

export function startHome(
  { db, now }: Platform,
  others: {
    accounts: Accounts;
    analytics: Analytics;
    functions: Functions;
    live: Live;
    history: History;
    pageReports: ReportsSlice;
    repairs: RepairsSlice;
  },
) {
  const { accounts, analytics, functions, live, history, pageReports, repairs } = others;
  return homeRoutes({
    now,
    readUsage: accounts.readUsage,
    readHistory: history.readShare,
    listPages: (userId) => listForHome(db, userId, MAX_PAGES),
    countOpenReports: pageReports.countOpen,
    countReportsOf: pageReports.countOfPages,
    listTakenDownFunctions: functions.listTakenDown,
    listFailedJobs: functions.listFailedJobs,
    listRepairs: repairs.listEnded,
    readTraffic: analytics.since,
    countCalls: functions.callsSince,
    dailyViews: analytics.daily,
    dailyCalls: functions.dailyCalls,
    recentVisitors: analytics.recent,
    countPeople: live.countPeople,
  });
}
