import type { Events, LiveEvent } from '../../../platform/coordination/events/index.ts';
import { type EventStreams, encodeEvent } from '../../../platform/http/index.ts';
import { may } from '../access.ts';
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
    let heldBack: Array<() => void> | undefined;

    const inTurn = (work: () => void) => {
      if (heldBack) heldBack.push(work);
      else work();
    };
    const deliver = ({ id, message, isUnsure }: LiveEvent<DataEvent>) => {
      if (message.kind === 'access changed') void recheck();
      else if (isUnsure) void recheck(() => tell(id, message));
      else tell(id, message);
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
    const reset = (id: string) => stream.send(encodeEvent({ id, name: 'reset', data: { type: 'reset' } }));

    /** Asks again what the follower is; if they may stay, goes on with that and then with what has waited. */
    async function recheck(goOn?: () => void): Promise<void> {
      heldBack = [];
      const now = await follower.recheck().catch(() => undefined);
      const mayGoOn =
        now?.storageType === storageType && may(now.actor, 'read', undefined, { storageType }) === 'allowed';
      if (!now || !mayGoOn) return stream.end();
      actor = now.actor;
      const waiting = heldBack;
      heldBack = undefined;
      goOn?.();
      for (const work of waiting) inTurn(work);
    }

    function begin({ missed, lastId }: { missed: LiveEvent<DataEvent>[] | undefined; lastId: string }): void {
      // Whether the follower may be here has just been asked, so changes of access from before say nothing new.
      for (const { id, message } of missed ?? []) if (message.kind === 'write') tell(id, message);
      if (!missed) reset(lastId);
      // An id at once, so that a connection that breaks before the first event can be taken up too.
      stream.send(encodeEvent({ id: lastId, name: 'open', data: {} }));
    }

    /** Set when events have to be asked for elsewhere: what the gate found out may have changed meanwhile. */
    let isLate = false;
    const stop = events.follow(channelOf(follower.pageId), lastEventId, {
      onStart: (start) => (isLate ? void recheck(() => begin(start)) : begin(start)),
      onEvent: (event) => inTurn(() => deliver(event)),
      onReset: (lastId) => inTurn(() => void recheck(() => reset(lastId))),
    });
    isLate = true;
    return stop;
  });
}
