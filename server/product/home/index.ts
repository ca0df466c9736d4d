import {
  ACTIVITY_DAYS,
  type Activity,
  type Home,
  MAX_HOME_ITEMS,
  type VisitorsNow,
} from '../../../contract/accounts/home/home.ts';
import { accountEndpoints } from '../../../contract/accounts/own-account-endpoints.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../platform/http/index.ts';
import type { HomeSources } from './sources.ts';
import { createStorageReport } from './storage.ts';

const DAY_MS = 24 * 3600 * 1000;

/** The summary on the home screen: one request, from what other slices count anyway. */
export function homeRoutes(sources: HomeSources): Route[] {
  const readReport = createStorageReport(sources);
  return [
    handle(accountEndpoints.getStorage, ({ actor }) => readReport(actor)),
    handle(accountEndpoints.getHome, ({ actor }) => readHome(sources, actor)),
    handle(accountEndpoints.getActivity, ({ actor }) => readActivity(sources, actor.userId)),
    handle(accountEndpoints.getVisitorsNow, ({ actor }) => readVisitors(sources, actor.userId)),
  ];
}

async function readActivity(sources: HomeSources, userId: number): Promise<Activity> {
  const pages = await sources.listPages(userId);
  const ids = pages.map(({ id }) => id);
  const [views, functions] = await Promise.all([
    sources.dailyViews(ids, ACTIVITY_DAYS),
    sources.dailyCalls(userId, ACTIVITY_DAYS),
  ]);
  return { pages: views.map((page) => ({ id: page.pageId, views: page.views })), functions };
}

/** Somebody with a live connection has also loaded the page, so the larger number counts. */
async function readVisitors(sources: HomeSources, userId: number): Promise<VisitorsNow> {
  const pages = await sources.listPages(userId);
  const recent = await sources.recentVisitors(pages.map(({ id }) => id));
  const visited = pages
    .map(({ id, name }) => ({ id, name, visitors: Math.max(recent.get(id) ?? 0, sources.countPeople(id)) }))
    .filter(({ visitors }) => visitors > 0)
    .sort((a, b) => b.visitors - a.visitors);
  return { visitors: sum(visited, 'visitors'), pages: visited.slice(0, MAX_VISITED) };
}

/** A person cannot look at more pages at once. */
const MAX_VISITED = 100;

async function readHome(sources: HomeSources, { userId, isAdmin }: Actor): Promise<Home> {
  const since = sources.now() - DAY_MS;
  const pages = await sources.listPages(userId);
  const ids = pages.map(({ id }) => id);
  const [usage, history, traffic, calls, troubles] = await Promise.all([
    sources.readUsage(userId),
    sources.readHistory(userId),
    sources.readTraffic(ids, since),
    sources.countCalls(userId, since),
    readTroubles(sources, { userId, isAdmin }, pages),
  ]);
  const toNamed = namePages(pages);
  const { bytes, quota } = usage;
  return {
    pages: usage.pages,
    functions: usage.functions,
    storage: { bytes, quota, history: { bytes: history.bytes, quota: history.share } },
    lastDay: {
      views: sum(traffic, 'views'),
      pageErrors: sum(traffic, 'errors'),
      calls: sum(calls, 'calls'),
      functionErrors: sum(calls, 'errors'),
    },
    failingPages: worst(traffic).map(({ pageId, errors }) => ({ ...toNamed(pageId), errors })),
    failingFunctions: worst(calls),
    ...troubles,
    drafts: pages
      .filter(({ drafts }) => drafts > 0)
      .slice(0, MAX_HOME_ITEMS)
      .map(({ id, name, drafts }) => ({ id, name, drafts })),
  };
}

type PageList = Awaited<ReturnType<HomeSources['listPages']>>;

const namePages = (pages: PageList) => {
  const names = new Map(pages.map(({ id, name }) => [id, name]));
  return (id: number) => ({ id, name: names.get(id) ?? '' });
};

/** What waits for the person. */
async function readTroubles(
  sources: HomeSources,
  { userId, isAdmin }: Pick<Actor, 'userId' | 'isAdmin'>,
  pages: PageList,
) {
  const ids = pages.map(({ id }) => id);
  const toNamed = namePages(pages);
  const since = sources.now() - DAY_MS;
  const [takenDownFunctions, openReports, reported, failedJobs, repairs, unused, exposed] = await Promise.all(
    [
      sources.listTakenDownFunctions(userId),
      isAdmin ? sources.countOpenReports() : 0,
      sources.countReports(ids),
      sources.listFailedJobs(userId, MAX_HOME_ITEMS),
      sources.listRepairs(userId, since, MAX_HOME_ITEMS),
      sources.listUnusedBranches(ids, MAX_HOME_ITEMS),
      sources.listExposed(pages, MAX_HOME_ITEMS),
    ],
  );
  return {
    takenDownPages: pages
      .filter(({ taken_down_at }) => taken_down_at !== null)
      .slice(0, MAX_HOME_ITEMS)
      .map(({ id, name }) => ({ id, name })),
    takenDownFunctions: takenDownFunctions.slice(0, MAX_HOME_ITEMS),
    openReports,
    failedJobs,
    repairs: repairs.map(({ pageId, message, outcome }) => ({ ...toNamed(pageId), message, outcome })),
    reportedPages: reported
      .slice(0, MAX_HOME_ITEMS)
      .map(({ pageId, reports }) => ({ ...toNamed(pageId), reports })),
    exposedPages: exposed.map(({ pageId, findings }) => ({ ...toNamed(pageId), findings })),
    unusedBranches: unused.map(({ id, of, name, endsAt }) => ({
      ...{ id, name: toNamed(of).name, branch: name, endsAt: toTimestamp(endsAt) },
    })),
  };
}

function sum<Field extends string>(rows: Array<Record<Field, number>>, field: Field): number {
  return rows.reduce((total, row) => total + row[field], 0);
}

function worst<Row extends { errors: number }>(rows: Row[]): Row[] {
  return rows
    .filter(({ errors }) => errors > 0)
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MAX_HOME_ITEMS);
}
