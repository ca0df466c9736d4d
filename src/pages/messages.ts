import { type Actor, AppError } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { requirePage } from './access.ts';
import { countMessages, insertMessage, listMessageSizes, listMessagesFrom } from './message-store.ts';
import { lockPage } from './store.ts';
import type { UpdateContext } from './update.ts';

const MAX_MESSAGES_PER_PAGE = 10_000;
const MESSAGES_AT_ONCE = 200;
/** Two hundred long messages would be many times a page; then fewer come at once. */
const MAX_BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Adds to a page's editing thread; its owner pays for the room. */
export function addMessage(
  { db, chargeUsage, now }: Pick<UpdateContext, 'db' | 'chargeUsage' | 'now'>,
  actor: Actor,
  pageId: number,
  message: { role: 'user' | 'assistant'; content: string },
) {
  return db.transaction().execute(async (tx) => {
    const page = await requirePage(tx, await lockPage(tx, pageId), actor, 'write');
    if ((await countMessages(tx, pageId)) >= MAX_MESSAGES_PER_PAGE) {
      throw new AppError(
        'QUOTA_EXCEEDED',
        `This page has ${MAX_MESSAGES_PER_PAGE.toLocaleString('en')} messages, the most a page can have. Go on in a fork of it.`,
      );
    }
    const bytes = Buffer.byteLength(message.content);
    await chargeUsage(tx, page.owner_id, { bytes }, actor.userId);
    return insertMessage(tx, { pageId, ...message, now: now() });
  });
}

/** The last messages of a page, or the last before one of them, oldest first. */
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
