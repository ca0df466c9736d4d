import type { Events, LiveEvent } from '../events/index.ts';
import { type EventStreams, encodeEvent } from '../http/index.ts';
import { may } from './access.ts';
import { channelOf, type DataEvent, type WriteEvent } from './events.ts';
import type { Follower } from './follower.ts';

/** One stream for all that a tab follows. */
export function followRecords(
  streams: EventStreams,
  events: Events<DataEvent>,
  follower: Follower,
  request: Request,
): Response {
  const { storageType } = follower;
  const collections = new Set(follower.collections);
  /** The last event that was seen before the connection broke. */
  const lastEventId = request.headers.get('last-event-id') ?? undefined;

  return streams.open(request.signal, (stream) => {
    let actor = follower.actor;
    /** Set while it is being asked whether the follower may go on; what happens meanwhile waits here. */
    let heldBack: LiveEvent<DataEvent>[] | undefined;

    const deliver = (event: LiveEvent<DataEvent>) => {
      if (heldBack) heldBack.push(event);
      else if (event.message.kind === 'write') tell(event.id, event.message);
      else void recheck();
    };
    const tell = (id: string, write: WriteEvent) => {
      const isMeant =
        write.storageType === storageType &&
        collections.has(write.body.collection) &&
        may(actor, 'read', { createdBy: write.createdBy }, { storageType }) === 'allowed';
      if (!isMeant) return;
      write.bytes ??= encodeEvent({ id, data: write.body });
      stream.send(write.bytes);
    };

    async function recheck(): Promise<void> {
      heldBack = [];
      const now = await follower.recheck().catch(() => undefined);
      const mayGoOn =
        now?.storageType === storageType && may(now.actor, 'read', undefined, { storageType }) === 'allowed';
      if (!now || !mayGoOn) return stream.end();
      actor = now.actor;
      const waiting = heldBack;
      heldBack = undefined;
      for (const event of waiting) deliver(event);
    }

    const following = events.follow(channelOf(follower.pageId), lastEventId, deliver);
    // The gate has just let the follower in, so changes of access from before say nothing new.
    for (const { id, message } of following.missed ?? []) if (message.kind === 'write') tell(id, message);
    if (!following.missed) {
      stream.send(encodeEvent({ id: following.lastId, name: 'reset', data: { type: 'reset' } }));
    }
    // An id at once, so that a connection that breaks before the first event can be taken up too.
    stream.send(encodeEvent({ id: following.lastId, name: 'open', data: {} }));
    return following.stop;
  });
}
