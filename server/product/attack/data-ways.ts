import type { StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Actors, Who } from './actors.ts';
import type { Tried } from './send.ts';

/** The ways in which the API lets somebody read, change or delete a record, and how each shows that it worked. */

/** A record that somebody has made in the copy. */
export interface Made {
  id: string;
  data: Record<string, unknown>;
  by: Who;
}

export interface Target {
  pageId: number;
  type: StorageType;
  collection: string;
  /** The path of the collection. */
  base: string;
  made: Made;
  /** A text that is only in this record. */
  mark: string;
}

export const isOk = ({ status }: Tried) => status >= 200 && status < 300;

type Way = (actors: Actors, who: Who, target: Target) => Promise<Tried | undefined>;

const find = (data: Record<string, unknown>, mark: string) =>
  Object.entries(data).find(([, value]) => typeof value === 'string' && value.includes(mark));

const shows =
  (toPath: (target: Target) => string): Way =>
  async (actors, who, target) => {
    const tried = await actors.send(who, 'GET', toPath(target));
    return isOk(tried) && tried.text.includes(target.mark) ? tried : undefined;
  };

const where = ({ made, mark }: Target) => {
  const [field, value] = find(made.data, mark) ?? [];
  return encodeURIComponent(JSON.stringify(field === undefined ? {} : { [field]: value }));
};

/** Whether a number tells that a record is there: somebody who guesses right learns it. */
const counts: Way = async (actors, who, target) => {
  if (!find(target.made.data, target.mark)) return undefined;
  const tried = await actors.send(who, 'GET', `${target.base}/count?where=${where(target)}`);
  return isOk(tried) && Number((tried.json as { count?: unknown })?.count) > 0 ? tried : undefined;
};

const groups: Way = (actors, who, target) => {
  const [field = 'text'] = find(target.made.data, target.mark) ?? [];
  return shows(({ base }) => `${base}/count?groupBy=${encodeURIComponent(field)}`)(actors, who, target);
};

const liveList: Way = async (actors, who, { pageId, collection, mark }) => {
  const lists = [{ id: 'a', collection, query: {} }];
  const until = (text: string) => /^data:/m.test(text) && text.endsWith('\n\n');
  const tried = await actors.send(who, 'POST', `/api/pages/${pageId}/live-lists`, { lists }, { until });
  return isOk(tried) && tried.text.includes(mark) ? tried : undefined;
};

/** Follows the changes of a collection while somebody else changes the record in it. */
const events: Way = async (actors, who, { pageId, base, collection, made, mark }) => {
  const path = `/api/pages/${pageId}/events?collections=${encodeURIComponent(collection)}`;
  const until = (text: string) => text.includes(mark);
  const following = actors.send(who, 'GET', path, undefined, { until });
  // Twice, because the first change can be earlier than the beginning of the events.
  for (let times = 0; times < 2; times++)
    await actors.send(made.by, 'PATCH', `${base}/${made.id}`, { data: made.data });
  const tried = await following;
  return isOk(tried) && tried.text.includes(mark) ? tried : undefined;
};

/** From the simplest to the most hidden. */
export const READ_WAYS: Way[] = [
  shows(({ base }) => `${base}?limit=20`),
  shows(({ base, made }) => `${base}/${made.id}`),
  shows((target) => `${target.base}?where=${where(target)}`),
  counts,
  groups,
  liveList,
  events,
  shows(({ base, made }) => `${base}/${made.id}/history`),
];

const works =
  (method: string, toPath: (target: Target) => string, toBody?: (target: Target) => unknown): Way =>
  async (actors, who, target) => {
    const tried = await actors.send(who, method, toPath(target), toBody?.(target));
    return isOk(tried) ? tried : undefined;
  };

const batch = ({ base }: Target) => `${base}/batch`;
const itself = ({ base, made }: Target) => `${base}/${made.id}`;
/** One field, changed to itself, so that one who can do it does not hide that others can. */
const field = ({ made }: Target) => Object.fromEntries(Object.entries(made.data).slice(0, 1));

export const CHANGE_WAYS: Way[] = [
  works('PATCH', itself, (target) => ({ data: field(target) })),
  works('PUT', itself, ({ made }) => ({ data: made.data })),
  works('POST', batch, (target) => ({
    operations: [{ op: 'update', id: target.made.id, data: field(target) }],
  })),
];

export const DELETE_WAYS: Way[] = [
  works('DELETE', itself),
  works('POST', batch, ({ made }) => ({ operations: [{ op: 'delete', id: made.id }] })),
];

/** The first way that works. */
export async function tryWays(
  ways: readonly Way[],
  actors: Actors,
  who: Who,
  target: Target,
): Promise<Tried | undefined> {
  for (const way of ways) {
    const tried = await way(actors, who, target);
    if (tried) return tried;
  }
  return undefined;
}
