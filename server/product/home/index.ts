import { type Home, MAX_HOME_ITEMS } from '../../../contract/accounts/home.ts';
import { accountEndpoints } from '../../../contract/accounts/own-account-endpoints.ts';
import { handle, type Route } from '../../platform/http/index.ts';

/** The functions of other slices that the home screen needs. */
interface HomeSources {
  now: () => number;
  readUsage(
    userId: number,
  ): Promise<{ pages: number; functions: number; bytes: number; quota: number | null }>;
  /** The pages that an owner changed last. */
  listPages(
    userId: number,
  ): Promise<Array<{ id: number; name: string; drafts: number; taken_down_at: number | null }>>;
  listTakenDownFunctions(userId: number): Promise<Array<{ slug: string }>>;
  /** The views and errors of these pages since a moment. */
  readTraffic(
    pageIds: number[],
    since: number,
  ): Promise<Array<{ pageId: number; views: number; errors: number }>>;
  countCalls(userId: number, since: number): Promise<Array<{ slug: string; calls: number; errors: number }>>;
}

const DAY_MS = 24 * 3600 * 1000;

/** The summary on the home screen: one request, from what other slices count anyway. */
export function homeRoutes(sources: HomeSources): Route[] {
  return [handle(accountEndpoints.getHome, ({ actor }) => readHome(sources, actor.userId))];
}

async function readHome(sources: HomeSources, userId: number): Promise<Home> {
  const since = sources.now() - DAY_MS;
  const pages = await sources.listPages(userId);
  const [usage, traffic, calls, takenDownFunctions] = await Promise.all([
    sources.readUsage(userId),
    sources.readTraffic(
      pages.map(({ id }) => id),
      since,
    ),
    sources.countCalls(userId, since),
    sources.listTakenDownFunctions(userId),
  ]);
  const names = new Map(pages.map(({ id, name }) => [id, name]));
  return {
    pages: usage.pages,
    functions: usage.functions,
    storage: { bytes: usage.bytes, quota: usage.quota },
    lastDay: {
      views: sum(traffic, 'views'),
      pageErrors: sum(traffic, 'errors'),
      calls: sum(calls, 'calls'),
      functionErrors: sum(calls, 'errors'),
    },
    takenDownPages: pages
      .filter(({ taken_down_at }) => taken_down_at !== null)
      .slice(0, MAX_HOME_ITEMS)
      .map(({ id, name }) => ({ id, name })),
    takenDownFunctions: takenDownFunctions.slice(0, MAX_HOME_ITEMS),
    failingPages: worst(traffic).map(({ pageId, errors }) => ({
      id: pageId,
      name: names.get(pageId) ?? '',
      errors,
    })),
    failingFunctions: worst(calls),
    drafts: pages
      .filter(({ drafts }) => drafts > 0)
      .slice(0, MAX_HOME_ITEMS)
      .map(({ id, name, drafts }) => ({ id, name, drafts })),
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
