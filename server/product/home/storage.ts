import {
  CREDIT_DAYS,
  MAX_STORAGE_ITEMS,
  STORAGE_KINDS,
  type StorageKind,
  type StorageReport,
} from '../../../contract/accounts/home/storage.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../lib/errors.ts';
import { createKeyedQueue } from '../../lib/queues.ts';
import { type Sizes, sizeAt } from '../../lib/sizes.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { HomeSources } from './sources.ts';

/** Pages that one statement measures. */
const AT_ONCE = 500;
const DAY_MS = 24 * 3600 * 1000;
/** Reports of one user that wait for one in progress. */
const MAX_WAITING = 4;

/** Where somebody deletes what a page or a function stores. */
const SCREENS: Record<StorageKind, string> = {
  documents: 'settings',
  files: '',
  images: 'settings',
  'team files': 'team',
  records: 'data',
  forms: 'forms',
  code: 'settings',
  messages: 'jobs',
  database: 'database',
};

/** Reads what uses the storage and the credits of a user. Many rows are added up, so each user has one at a time. */
export function createStorageReport(sources: HomeSources) {
  const inTurn = createKeyedQueue({ maxWaiting: MAX_WAITING, refused: tooMany });
  return (actor: Actor) => inTurn(String(actor.userId), () => readStorage(sources, actor));
}

const tooMany = () =>
  new AppError(
    'UNAVAILABLE',
    'Your storage is being added up already. Try again in a moment.',
    {},
    { headers: { 'retry-after': '2' } },
  );

async function readStorage(sources: HomeSources, actor: Actor): Promise<StorageReport> {
  const { userId } = actor;
  const pages = await measureAll(sources, userId);
  const functions = (await sources.measureFunctions(userId)).map(({ slug, name, pageId, bytes }) => ({
    ...{ slug, name, pageId },
    ...toParts({ code: bytes.code, messages: bytes.queue, database: bytes.database }, `/functions/${slug}`),
  }));
  const [usage, history] = [await sources.readUsage(userId), await sources.readHistory(userId)];
  const listed = { pages: largest(pages), functions: largest(functions) };
  const spent = await sources.readSpent(actor, sources.now() - CREDIT_DAYS * DAY_MS);
  return {
    ...{ bytes: usage.bytes, quota: usage.quota, ...listed },
    history: { bytes: history.bytes, quota: history.share },
    // What is written meanwhile is in some of the numbers.
    otherBytes: Math.max(0, usage.bytes - sumBytes(listed.pages) - sumBytes(listed.functions)),
    credits: {
      days: CREDIT_DAYS,
      spent: toCredits(spent.reduce((sum, { tokens }) => sum + tokens, 0)),
      pages: spent.map(({ id, name, tokens }) => ({ id, name, spent: toCredits(tokens) })),
    },
  };
}

async function measureAll(sources: HomeSources, userId: number) {
  const all = await sources.listNamed(userId);
  const measured: StorageReport['pages'] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const { history, ...kinds } = await sources.measurePages(some.map(({ id }) => id));
    for (const page of some) {
      const bytes = Object.entries(kinds).map(([kind, sizes]) => [kind, sizeAt(sizes as Sizes, page.id)]);
      measured.push({
        ...{ ...page, historyBytes: sizeAt(history, page.id) },
        ...toParts(Object.fromEntries(bytes), `/pages/${page.id}`),
      });
    }
  }
  return measured;
}

function toParts(sizes: Partial<Record<StorageKind, number>>, screen: string) {
  const parts = STORAGE_KINDS.map((kind) => ({
    ...{ kind, bytes: sizes[kind] ?? 0 },
    path: SCREENS[kind] ? `${screen}/${SCREENS[kind]}` : screen,
  }));
  const stored = parts.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  return { bytes: sumBytes(stored), parts: stored };
}

const sumBytes = (parts: Array<{ bytes: number }>) => parts.reduce((sum, { bytes }) => sum + bytes, 0);

const largest = <Item extends { bytes: number }>(items: Item[]): Item[] =>
  items.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_STORAGE_ITEMS);
