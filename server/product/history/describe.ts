import type { Cause, Moment } from '../../../contract/pages/history/moments.ts';
import { phrase, type Text } from '../../../contract/rules/texts/fill.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { RecordActivity, RecordDifference } from '../ports.ts';
import type { HistoryContext } from './context.ts';
import { type ApplicationState, compareStates, type Difference, parseState } from './state.ts';
import { findMoment, type ListedMoment } from './store.ts';
import { readText, toSaid } from './words.ts';

/** Record changes are summed up in parts of this length. Most moments are about a minute apart. */
const PART_MS = 1_000;

/** Moments that are closer together than this are looked at one by one. */
const CLOSE_MS = 10_000;

/** Moments with what happened before each, for the time line. `rows` are in order, the latest first. */
export async function describeMoments(
  context: HistoryContext,
  pageId: number,
  rows: readonly ListedMoment[],
): Promise<Moment[]> {
  const { db } = context;
  const { records, pages } = context.parts();
  const [latest, earliest] = [rows[0], rows.at(-1)];
  if (!latest || !earliest) return [];
  const before = await findMoment(db, pageId, earliest.at - 1);
  const from = (before ?? earliest).at;
  const activity = await records.summarize(pageId, { from, to: latest.at, everyMs: PART_MS });
  const names = await context.readUsernames([...new Set(activity.flatMap(({ by }) => by ?? []))]);
  const states = [...rows, ...(before ? [before] : [])].map((row) => ({
    at: row.at,
    state: parseState(row),
  }));
  const described: Moment[] = [];
  for (const [index, row] of rows.entries()) {
    const previous = states[index + 1];
    const now = states[index]?.state as ApplicationState;
    const difference = compareStates(previous?.state, now);
    const author =
      difference.page_version === undefined
        ? null
        : await pages.findAuthor(db, pageId, difference.page_version);
    const changed = await chooseActivity(context, pageId, activity, {
      from: previous?.at ?? row.at,
      to: row.at,
    });
    described.push(toMoment(row, difference, author, sumRecords(changed, names)));
  }
  return described;
}

/** What happened to records between two moments. If they are close together, the parts are too long to tell. */
async function chooseActivity(
  context: HistoryContext,
  pageId: number,
  activity: readonly RecordActivity[],
  { from, to }: { from: number; to: number },
): Promise<readonly RecordActivity[]> {
  if (from === to) return [];
  if (to - from >= CLOSE_MS) return activity.slice(findFirst(activity, from), findFirst(activity, to));
  return context.parts().records.summarize(pageId, { from, to, everyMs: CLOSE_MS });
}

/** The index of the first part that begins at or after a time. They are in order, and there can be many. */
function findFirst(activity: readonly RecordActivity[], time: number): number {
  let [low, high] = [0, activity.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((activity[middle]?.at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface ChangedRecords extends RecordDifference {
  count: number;
  by: string | null;
  collections: string[];
}

/** What happened to records, and who did it if it was one person. */
function sumRecords(activity: readonly RecordActivity[], names: ReadonlyMap<number, string>): ChangedRecords {
  const people = new Set(activity.map(({ by }) => by));
  const [only] = people;
  const sum = (key: keyof RecordDifference) => activity.reduce((total, each) => total + each[key], 0);
  const [created, updated, deleted] = [sum('created'), sum('updated'), sum('deleted')];
  return {
    ...{ created, updated, deleted, count: created + updated + deleted },
    by: people.size === 1 && typeof only === 'number' ? (names.get(only) ?? null) : null,
    collections: [...new Set(activity.map(({ collection }) => collection))],
  };
}

function toMoment(
  row: ListedMoment,
  difference: Difference,
  author: string | null,
  records: ChangedRecords,
): Moment {
  const { page_version, functions, databases } = difference;
  const own: Cause[] =
    row.cause_kind === null ? [] : [{ kind: row.cause_kind, by: row.by, ...readText(row.cause_text) }];
  return {
    at: toTimestamp(row.at),
    ...(row.name !== null && { name: row.name }),
    causes: [...own, ...toCauses(difference, author, records)],
    changes: {
      ...(page_version !== undefined && { page_version }),
      functions,
      records: records.count,
      databases,
    },
  };
}

function toCauses(difference: Difference, author: string | null, records: ChangedRecords): Cause[] {
  const { page_version, isSettings, functions, joined, left, databases } = difference;
  const causes: Cause[] = [];
  const add = (kind: Cause['kind'], text: Text, by: string | null = null) =>
    causes.push({ kind, by, ...toSaid(text) });
  if (page_version !== undefined)
    add(
      'page',
      phrase('Version {version} of the page was published.', { version: String(page_version) }),
      author,
    );
  if (isSettings) add('settings', phrase('Settings were changed.'));
  for (const { slug, version } of functions)
    add(
      'functions',
      phrase('The function {slug} was deployed as version {version}.', { slug, version: String(version) }),
    );
  for (const slug of joined) add('functions', phrase('The function {slug} was added to the page.', { slug }));
  for (const slug of left)
    add('functions', phrase('The function {slug} no longer belongs to the page.', { slug }));
  if (records.count > 0) add('records', sayRecords(records), records.by);
  for (const slug of databases) add('databases', phrase('The database of {slug} changed.', { slug }));
  return causes;
}

function sayRecords({ count, created, deleted, collections }: ChangedRecords): Text {
  const [collection = ''] = collections;
  if (collections.length === 1) {
    const values = { count, collection };
    if (created === count)
      return phrase('{count|1 record was|{count} records were} added in {collection}.', values);
    if (deleted === count)
      return phrase('{count|1 record was|{count} records were} deleted in {collection}.', values);
    return phrase('{count|1 record|{count} records} changed in {collection}.', values);
  }
  if (created === count) return phrase('{count|1 record was|{count} records were} added.', { count });
  if (deleted === count) return phrase('{count|1 record was|{count} records were} deleted.', { count });
  return phrase('{count|1 record|{count} records} changed.', { count });
}
