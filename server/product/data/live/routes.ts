import { eventEndpoints } from '../../../../contract/data/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { followRecords } from './follow.ts';
import { type FollowContext, followPage } from './follow-page.ts';
import { admitFollower } from './follower.ts';

/** Routes that stream the events of a page. */
export function liveRoutes(context: FollowContext): Route[] {
  return [
    handle(eventEndpoints.followRecords, async ({ params, query, request, caller, address }) => {
      const follower = await admitFollower(context, caller, params.id, query.collections);
      return followRecords(context.streams, context.events, follower, { request, address });
    }),
    handle(eventEndpoints.followPage, ({ params, actor, request, address }) =>
      followPage(context, actor, params.id, { request, address }),
    ),
  ];
}
