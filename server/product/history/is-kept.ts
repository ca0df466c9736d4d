import type { CauseKind } from '../../../contract/pages/history/moments.ts';
import type { KeepOptions } from '../ports.ts';
import type { HistoryContext } from './context.ts';
import { listCaused } from './store.ts';

const MINUTE_MS = 60_000;
/** An app that deletes and adds records all the time must not fill the history: there is a moment each minute too. */
const MAX_DELETED_A_MINUTE = 3;

/** Whether a moment before an action would say nothing more than those that there are. */
export async function isKept(
  { db, now }: HistoryContext,
  pageId: number,
  kind: CauseKind,
  { apartMs, areChangedSince }: KeepOptions,
): Promise<boolean> {
  if (areChangedSince) {
    const caused = await listCaused(db, pageId, { from: now() - MINUTE_MS, to: now() });
    const [last] = caused;
    if (caused.filter((each) => each.cause_kind === kind).length >= MAX_DELETED_A_MINUTE) return true;
    return last !== undefined && !areChangedSince(last.at);
  }
  if (apartMs === undefined) return false;
  const caused = await listCaused(db, pageId, { from: now() - apartMs, to: now() });
  return caused.some(({ cause_kind }) => cause_kind === kind);
}
