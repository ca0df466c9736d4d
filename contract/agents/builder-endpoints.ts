import { endpoint, endpoints, type ResponseSpec } from '../endpoint.ts';
import { Done, idParams } from '../fields.ts';
import { PAGE_BODY_LIMIT } from '../pages/pages.ts';
import { Build, BuilderEvent, BuilderStatus, NewBuild } from './builder.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const EVENTS: ResponseSpec = {
  status: 200,
  description:
    'The events of the run, as server-sent events. `done` or `error` is the last. The run goes on if you disconnect.',
  type: 'text/event-stream',
  events: BuilderEvent,
};

export const builderEndpoints = endpoints({
  getBuilder: endpoint({
    method: 'GET',
    path: '/api/builder',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Whether the builder is available, and what a run costs',
    response: BuilderStatus,
  }),
  buildNewPage: endpoint({
    method: 'POST',
    path: '/api/builder',
    failures: ['NOT_INSTALLED', 'QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    changes: 'new',
    summary: 'Build a new page from a description: an unpublished page with a draft',
    body: NewBuild,
    answers: [EVENTS],
  }),
  buildPage: endpoint({
    method: 'POST',
    path: '/api/builder/:id',
    failures: ['NOT_INSTALLED', 'QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    changes: 'nothing',
    summary: 'Change a page by describing it; everything goes to a draft',
    params: idParams,
    body: Build,
    bodyLimit: PAGE_BODY_LIMIT,
    answers: [EVENTS],
  }),
  watchBuilder: endpoint({
    method: 'GET',
    path: '/api/builder/:id/events',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Watch your last run of the builder on a page, and those that follow',
    params: idParams,
    answers: [
      {
        ...EVENTS,
        description:
          'Events as they happen. The first is `run`, with everything so far; it is also sent when another run begins.',
      },
    ],
  }),
  stopBuilder: endpoint({
    method: 'DELETE',
    path: '/api/builder/:id',
    access: WRITE,
    changes: 'nothing',
    summary: 'Stop the run of the builder on a page; its draft is kept',
    params: idParams,
    response: Done,
  }),
});
