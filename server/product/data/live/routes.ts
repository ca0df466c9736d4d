import { EventsQuery, FollowHeaders, pageParams, RecordEvent } from '../../../../contract/data/records.ts';
import { PageVersionEvent } from '../../../../contract/pages/pages.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import { followRecords } from './follow.ts';
import { type FollowContext, followPage } from './follow-page.ts';
import { admitFollower } from './follower.ts';

/** What happens on a page, as streams of events. */
export function liveRoutes(context: FollowContext): Route[] {
  return [eventsRoute(context), versionEventsRoute(context)];
}

function eventsRoute(context: FollowContext): Route {
  return route({
    method: 'GET',
    path: '/api/pages/:id/events',
    operationId: 'followRecords',
    failures: ['UNAUTHORIZED', 'FORBIDDEN', 'INSUFFICIENT_SCOPE', 'CONFLICT'],
    headers: FollowHeaders,
    answers: [
      {
        status: 200,
        description: 'One event for each change, until the reader leaves.',
        type: 'text/event-stream',
        events: RecordEvent,
      },
    ],
    access: { kind: 'open read' },
    summary: 'Follow changes in collections (server-sent events)',
    params: pageParams,
    query: EventsQuery,
    async handle({ params, query, request, caller, address }) {
      const follower = await admitFollower(context, caller, params.id, query.collections);
      return followRecords(context.streams, context.events, follower, { request, address });
    },
  });
}

function versionEventsRoute(context: FollowContext): Route {
  return route({
    method: 'GET',
    path: '/api/pages/:id/version-events',
    operationId: 'followPage',
    answers: [
      {
        status: 200,
        description: 'The current version, then one event for each new one, until the reader leaves.',
        type: 'text/event-stream',
        events: PageVersionEvent,
      },
    ],
    // The scope of the page's other management routes: a token learns no more than by reading the page.
    access: { kind: 'visitor', scope: 'pages:read' },
    summary: 'Follow the versions of a page that you can change (server-sent events)',
    params: pageParams,
    handle: ({ params, actor, request, address }) =>
      followPage(context, actor, params.id, { request, address }),
  });
}
