import type { StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Actors, Who } from './actors.ts';
import type { Tried } from './send.ts';
import type { Invention } from './source/invent.ts';
import { listTexts } from './source/parameters.ts';

/** The ways in which the API lets somebody read, change or delete a record, and how each shows that it worked. */

/** A record that somebody has made in the copy. */
export interface Made {
  id: string;
  data: Record<string, unknown>;
  by: Who;
  invention: Invention;
}

export interface Target {
  pageId: number;
  type: StorageType;
  collection: string;
  /** The path of the collection. */
  base: string;
  made: Made;
}

export const isOk = ({ status }: Tried) => status >= 200 && status < 300;

type Way = (actors: Actors, who: Who, target: Target) => Promise<Tried | undefined>;

/** Whether an answer shows the record: by what is only in it, or by its id. */
const isShown = ({ made }: Target, { text }: Tried) => made.invention.isIn(text) || text.includes(made.id);

/** A text that only this record has, and the path to it. */
const find = ({ made }: Target) => {
  const found = listTexts(made.data).find(({ text }) => made.invention.isIn(text));
  return found && { field: found.path.join('.'), text: found.text };
};

const shows =
  (toPath: (target: Target) => string): Way =>
  async (actors, who, target) => {
    const tried = await actors.send(who, 'GET', toPath(target));
    return isOk(tried) && isShown(target, tried) ? tried : undefined;
  };

const where = (target: Target) => {
  const found = find(target);
  return encodeURIComponent(JSON.stringify(found ? { [found.field]: found.text } : {}));
};

/** Whether a number tells that a record is there: somebody who guesses right learns it. */
const counts: Way = async (actors, who, target) => {
  if (!find(target)) return undefined;
  const tried = await actors.send(who, 'GET', `${target.base}/count?where=${where(target)}`);
  return isOk(tried) && Number((tried.json as { count?: unknown })?.count) > 0 ? tried : undefined;
};

const groups: Way = async (actors, who, target) => {
  const { field } = find(target) ?? {};
  if (field === undefined) return undefined;
  return shows(({ base }) => `${base}/count?groupBy=${encodeURIComponent(field)}`)(actors, who, target);
};

const liveList: Way = async (actors, who, target) => {
  const { pageId, collection } = target;
  const lists = [{ id: 'a', collection, query: {} }];
  const until = (text: string) => /^data:/m.test(text) && text.endsWith('\n\n');
  const tried = await actors.send(who, 'POST', `/api/pages/${pageId}/live-lists`, { lists }, { until });
  return isOk(tried) && isShown(target, tried) ? tried : undefined;
};

/** Follows the changes of a collection while somebody else changes the record in it. */
const events: Way = async (actors, who, target) => {
  const { pageId, base, collection, made } = target;
  const path = `/api/pages/${pageId}/events?collections=${encodeURIComponent(collection)}`;
  const until = (text: string) => text.includes(made.id);
  const following = actors.send(who, 'GET', path, undefined, { until });
  // Twice, because the first change can be earlier than the beginning of the events.
  for (let times = 0; times < 2; times++)
    await actors.send(made.by, 'PATCH', `${base}/${made.id}`, { data: made.data });
  const tried = await following;
  return isOk(tried) && isShown(target, tried) ? tried : undefined;
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
