import type { PageVersionEvent } from '../../../../contract/data/records.ts';
import type { Events } from '../../../platform/coordination/events/index.ts';
import {
  type Actor,
  type EventStream,
  type EventStreams,
  encodeEvent,
} from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { type DataEvent, toChannel } from './events.ts';
import { assertGoesOn } from './follower.ts';

/** The dependencies of following a page. */
export interface FollowContext {
  db: Db;
  now: () => number;
  /** The time for a change of a page's data. */
  readTime(pageId: number): number;
  pages: PageDirectory;
  events: Events<DataEvent>;
  streams: EventStreams;
  /** Whether there is a record log. */
  writes: { isLogged: boolean };
}

/** Sends the number of each new version of a page to someone who can change it, until they no longer can. */
export async function followPage(
  { db, now, pages, events, streams }: FollowContext,
  caller: Actor | undefined,
  idOrSlug: string,
  { request, address }: { request: Request; address: string },
): Promise<Response> {
  const { id } = await pages.require(db, await pages.find(db, idOrSlug), caller, 'write');
  const begin = (stream: EventStream) => {
    let sent = 0;
    const look = async () => {
      try {
        assertGoesOn(caller, now());
        const { version } = await pages.require(db, await pages.find(db, String(id)), caller, 'write');
        if (version <= sent) return;
        sent = version;
        const data: PageVersionEvent = { version };
        stream.send(encodeEvent({ data }));
      } catch {
        stream.end();
      }
    };
    return events.follow(toChannel(id), undefined, {
      onStart: () => void look(),
      onEvent: ({ message }) => message.kind === 'access changed' && void look(),
      onReset: () => void look(),
    });
  };
  return streams.open(request.signal, begin, { userId: caller?.userId, address });
}
