import type { Events, LiveEvent } from '../events/index.ts';
import { type EventStreams, encodeEvent } from '../http/index.ts';
import { type DataActor, may, type StorageType } from './access.ts';
import { checkCollection, type RecordResponse } from './schema.ts';

/** A stream ends after this long, and whoever reads it comes back: so a login that has ended ends its streams too. */
const MAX_STREAM_MS = 5 * 60_000;

/** What is told on a page's channel: a write, or that who may read may have changed. */
export type DataEvent = Write | { kind: 'access changed' };

interface Write {
  kind: 'write';
  storageType: StorageType;
  createdBy: number;
  body:
    | { type: 'created' | 'updated'; collection: string; record: RecordResponse }
    | { type: 'deleted'; collection: string; id: string };
  /** As it is sent; made by the first who is told, for all. */
  bytes?: Uint8Array;
}

export const channelOf = (pageId: number) => `page ${pageId}`;

/** Who follows what. */
export interface Follower {
  pageId: number;
  storageType: StorageType;
  actor: DataActor | undefined;
  collections: string[];
  /** The last event that was seen before the connection broke. */
  lastEventId: string | undefined;
  signal: AbortSignal;
  /** Asks anew what the follower is to the page; undefined when they may no longer see it. */
  recheck(): Promise<{ actor: DataActor | undefined; storageType: StorageType | undefined } | undefined>;
}

/** One stream for all that a tab follows. */
export function followRecords(
  streams: EventStreams,
  events: Events<DataEvent>,
  follower: Follower,
): Response {
  const { storageType } = follower;
  const collections = new Set(follower.collections.map(checkCollection));

  return streams.open(follower.signal, (stream) => {
    let actor = follower.actor;
    /** Set while it is being asked whether the follower may go on; what happens meanwhile waits here. */
    let heldBack: LiveEvent<DataEvent>[] | undefined;

    const deliver = (event: LiveEvent<DataEvent>) => {
      if (heldBack) heldBack.push(event);
      else if (event.message.kind === 'write') tell(event.id, event.message);
      else void recheck();
    };
    const tell = (id: string, write: Write) => {
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

    const following = events.follow(channelOf(follower.pageId), follower.lastEventId, deliver);
    // The gate has just let the follower in, so changes of access from before say nothing new.
    for (const { id, message } of following.missed ?? []) if (message.kind === 'write') tell(id, message);
    if (!following.missed) {
      stream.send(encodeEvent({ id: following.lastId, name: 'reset', data: { type: 'reset' } }));
    }
    // An id at once, so that a connection that breaks before the first event can be taken up too.
    stream.send(encodeEvent({ id: following.lastId, name: 'open', data: {} }));
    const ending = setTimeout(stream.end, MAX_STREAM_MS);
    return () => {
      clearTimeout(ending);
      following.stop();
    };
  });
}
