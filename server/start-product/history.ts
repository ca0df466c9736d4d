import { type Accounts, chargeWithoutQuota, readUsernames } from '../product/accounts/index.ts';
import type { Data } from '../product/data/index.ts';
import type { Functions } from '../product/functions/index.ts';
import { createHistory, type History } from '../product/history/index.ts';
import type { PageDirectory, Pages } from '../product/pages/index.ts';
import type { Platform } from '../start-platform.ts';

/** Starts the history of pages. Whatever changes something tells it so; it is connected when all of that is started. */
export function startHistory(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory },
): History {
  const { accounts, directory } = others;
  return createHistory({
    ...platform,
    directory,
    readQuota: accounts.readUsage,
    readUsernames: (ids) => readUsernames(platform.db, ids),
    chargeWithoutQuota,
  });
}

export function connectHistory(
  { snapshots }: Platform,
  others: { history: History; pages: Pages; functions: Functions; data: Data },
): Promise<void> {
  const { history, pages, functions, data } = others;
  return history.connect({
    pages: pages.history,
    functions: functions.history,
    records: data.history,
    snapshots,
  });
}
