import { eventEndpoints } from '../../../../contract/data/endpoints.ts';
import { LiveListQuery, type LiveListsBody } from '../../../../contract/data/live-lists.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import {
  type EventStream,
  type EventStreams,
  encodeEvent,
  handle,
  type Route,
  validate,
} from '../../../platform/http/index.ts';
import { checkCollection } from '../access/collection-name.ts';
import type { FollowContext } from '../live/follow-page.ts';
import { admitFollower } from '../live/follower.ts';
import { type AskedList, ListTab, toRefusal } from './list-tab.ts';
import { LiveLists, type LiveListsContext } from './page-lists.ts';

export function liveListRoutes(
  context: LiveListsContext & FollowContext & { streams: EventStreams },
): Route[] {
  const all = new LiveLists(context);
  return [
    handle(eventEndpoints.followLists, async ({ params, body, request, caller, address }) => {
      const { good, bad } = checkLists(body);
      // If all of them are wrong, the reader learns why as from any other request.
      if (good.length === 0 && bad[0]) throw bad[0].error;
      const names = [...new Set(good.map(({ collection }) => collection))];
      const follower = await admitFollower(context, caller, params.id, names);
      const begin = (stream: EventStream) => {
        const stop = new ListTab(follower, stream, limitKey(address)).start(all, good);
        for (const { id, error } of bad) stream.send(encodeEvent({ data: toRefusal(id, error) }));
        return stop;
      };
      return context.streams.open(request.signal, begin, { userId: follower.actor?.userId, address });
    }),
  ];
}

/** Checks each list for itself, so that one with a mistake does not end the others. */
function checkLists({ lists }: LiveListsBody) {
  const good: AskedList[] = [];
  const bad: Array<{ id: string; error: AppError }> = [];
  for (const { id, collection, query, known } of lists) {
    try {
      good.push({
        id,
        collection: checkCollection(collection),
        query: validate(LiveListQuery, query),
        known,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      bad.push({ id, error });
    }
  }
  return { good, bad };
}
