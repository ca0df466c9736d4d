import { Build, BuilderEvent, BuilderStatus, NewBuild } from '../../../contract/agents/builder.ts';
import { Done, idParams } from '../../../contract/fields.ts';
import { PAGE_BODY_LIMIT } from '../../../contract/pages/pages.ts';
import { type Answer, bearerOf, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { Builder } from './builder.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const EVENTS: Answer[] = [
  {
    status: 200,
    description: 'What happens, as server-sent events. `done` or `error` is the last.',
    type: 'text/event-stream',
    events: BuilderEvent,
  },
];

type Asked = Parameters<Route['handle']>[0];

const callerOf = ({ request, actor, address, requestId }: Asked) => ({
  actor: signedIn(actor),
  bearer: bearerOf(request) ?? '',
  address,
  requestId,
});

export function builderRoutes(builder: Builder): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/builder',
      operationId: 'getBuilder',
      access: { kind: 'management', scope: 'pages:read' },
      summary: 'Whether the builder is available, and what a run costs',
      response: BuilderStatus,
      handle: ({ actor }) => builder.describe(signedIn(actor)),
    }),
    route({
      method: 'POST',
      path: '/api/builder',
      operationId: 'buildNewPage',
      failures: ['NOT_INSTALLED', 'QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Build a new page from a description: an unpublished page with a draft',
      body: NewBuild,
      answers: EVENTS,
      handle: (asked) => builder.buildNew(callerOf(asked as Asked), asked.body, asked.request.signal),
    }),
    route({
      method: 'POST',
      path: '/api/builder/:id',
      operationId: 'buildPage',
      failures: ['NOT_INSTALLED', 'QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Change a page by describing it; everything goes to a draft',
      params: idParams,
      body: Build,
      bodyLimit: PAGE_BODY_LIMIT,
      answers: EVENTS,
      handle: (asked) =>
        builder.build(callerOf(asked as Asked), asked.params.id, asked.body, asked.request.signal),
    }),
    route({
      method: 'DELETE',
      path: '/api/builder/:id',
      operationId: 'stopBuilder',
      access: WRITE,
      summary: 'Stop the run of the builder on a page; its draft is kept',
      params: idParams,
      response: Done,
      handle: (asked) => builder.stopOn(callerOf(asked as Asked), asked.params.id),
    }),
  ];
}
