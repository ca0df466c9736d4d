import { LIVE_CHANNEL } from '../../../contract/live/limits.ts';
import { LivePublication } from '../../../contract/live/messages.ts';
import { LIVE_PUBLICATIONS } from '../../../workers/protocol.ts';
import { AppError } from '../../lib/errors.ts';
import { TokenBucket } from '../../platform/coordination/limits/index.ts';
import { encodeMessage } from './connection.ts';
import type { LiveHub } from './hub.ts';
import { tooFast } from './refusals.ts';
import type { VisitorContext } from './visitor.ts';

/** Publishes something to visitors for an owner. `read` gives what the function sent. Throws if that is refused. */
export type Publish = (
  ownerId: number,
  read: () => Promise<unknown>,
  /** The only page that a function of a branch reaches: that of its branch. */
  onlyPage: number | undefined,
) => Promise<void>;

/** Owners whose functions published lately. Above this, the oldest are forgotten, which only lets them publish more. */
const MAX_KNOWN = 10_000;

/** Publishes what functions send, to pages of their owner only. */
export function createPublish({
  db,
  pages,
  hub,
}: Pick<VisitorContext, 'db' | 'pages'> & { hub: LiveHub }): Publish {
  const owners = new Map<number, TokenBucket>();

  function take(ownerId: number): void {
    const { perSecond, atOnce } = LIVE_PUBLICATIONS;
    const bucket = owners.get(ownerId) ?? new TokenBucket(perSecond, atOnce);
    owners.delete(ownerId);
    owners.set(ownerId, bucket);
    if (owners.size > MAX_KNOWN) owners.delete(owners.keys().next().value ?? 0);
    const waitMs = bucket.take(Math.round(performance.now()));
    if (waitMs > 0)
      throw tooFast(
        'Your functions can publish {count} messages a second. Send fewer, or several in one.',
        waitMs,
        { count: String(perSecond) },
      );
  }

  return async (ownerId, read, onlyPage) => {
    // Check the rate limit before the body is read: a function that publishes in a loop must cost little.
    take(ownerId);
    const { pageId, channel, message } = await readPublication(read);
    const page = await pages.find(db, String(pageId));
    const isOther = onlyPage !== undefined && page?.id !== onlyPage;
    if (page?.owner_id !== ownerId || isOther)
      throw new AppError(
        'NOT_FOUND',
        'You have no page {pageId}. A function publishes to pages of its owner: pass the id of one, such as the header x-quire-page-id.',
        { pageId: JSON.stringify(pageId) },
      );
    hub.publish(page, channel, encodeMessage({ channel, from: null, message }));
  };
}

async function readPublication(read: () => Promise<unknown>) {
  const parsed = LivePublication.safeParse(await read().catch(() => undefined));
  if (!parsed.success)
    throw new AppError('BAD_REQUEST', 'Call publish(pageId, channel, message), with a message that is JSON.');
  if (!LIVE_CHANNEL.test(parsed.data.channel))
    throw new AppError(
      'BAD_REQUEST',
      'A channel name has 1 to 64 letters, digits or _ . : -, and begins with a letter or digit.',
    );
  return parsed.data;
}
