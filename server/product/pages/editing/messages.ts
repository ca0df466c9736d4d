import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { lockPage } from '../model/page-store.ts';
import { countMessages, insertMessage, listMessageSizes, listMessagesFrom } from './message-store.ts';

const MAX_MESSAGES_PER_PAGE = 10_000;
const MESSAGES_AT_ONCE = 200;
/** Bytes of messages in one response. If messages are long, a response has fewer of them. */
const MAX_BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Adds to a page's editing thread. The message counts towards the owner's quota. */
export function addMessage(
  { db, chargeUsage, directory, now }: Pick<ChangeContext, 'db' | 'chargeUsage' | 'directory' | 'now'>,
  actor: Actor,
  pageId: number,
  message: { role: 'user' | 'assistant'; content: string },
) {
  return db.transaction().execute(async (tx) => {
    const page = await directory.require(tx, await lockPage(tx, pageId), actor, 'write');
    if ((await countMessages(tx, pageId)) >= MAX_MESSAGES_PER_PAGE) {
      throw new AppError(
        'QUOTA_EXCEEDED',
        'This page has {count} messages, which is the limit. Continue in a fork of the page.',
        { count: MAX_MESSAGES_PER_PAGE },
      );
    }
    const bytes = Buffer.byteLength(message.content);
    await chargeUsage(tx, page.owner_id, { bytes }, actor.userId);
    return insertMessage(tx, { pageId, ...message, now: now() });
  });
}

/** The last messages of a page, or the last ones before the message `before`; oldest first. */
export async function readMessages(db: Db, pageId: number, before: number | undefined) {
  const newest = await listMessageSizes(db, pageId, before, MESSAGES_AT_ONCE);
  let bytes = 0;
  const fitting = newest.filter(({ size }, index) => {
    bytes += size;
    return index === 0 || bytes <= MAX_BYTES_AT_ONCE;
  });
  const [last, first] = [fitting[0], fitting.at(-1)];
  return first && last ? listMessagesFrom(db, pageId, first.id, last.id) : [];
}
