import { AgentSpec, PutSpec, SavedSpec, SPEC_BODY_LIMIT } from '../../../../contract/agents/agent-spec.ts';
import { idOrSlugParams, idParams } from '../../../../contract/fields.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { type DescribeContext, describePage } from './describe.ts';
import { putSpec, removeSpec, type SpecContext } from './save.ts';

/** What a page is and has, for agents: as data and as text. */
export { type DescribeContext, describePage } from './describe.ts';
export { pageText } from './page-text.ts';
/** Copies a page's spec to its forks, and frees it with the page. */
export { copySpec, freeSpec } from './save.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;

/** Agent specs: what a page says about itself to agents. */
export function agentSpecRoutes(context: SpecContext & DescribeContext): Route[] {
  const { db, pages } = context;
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/agent-spec',
      operationId: 'getAgentSpec',
      access: { kind: 'open read' },
      summary: "Read a page's agent spec, by id or slug",
      params: idOrSlugParams,
      response: AgentSpec,
      async handle({ params, caller }) {
        const page = await pages.see(db, await pages.find(db, params.id), caller);
        return describePage(context, page);
      },
    }),
    route({
      method: 'PUT',
      path: '/api/pages/:id/agent-spec',
      operationId: 'setAgentSpec',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: "Write a page's agent spec",
      params: idParams,
      body: PutSpec,
      bodyLimit: SPEC_BODY_LIMIT,
      response: SavedSpec,
      async handle({ params, body, actor }) {
        const saved = await putSpec(context, signedIn(actor), params.id, body.spec);
        return {
          spec: saved.spec,
          createdAt: toTimestamp(saved.created_at),
          updatedAt: toTimestamp(saved.updated_at),
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/pages/:id/agent-spec',
      operationId: 'deleteAgentSpec',
      access: WRITE,
      summary: "Remove a page's agent spec",
      params: idParams,
      status: 204,
      handle: ({ params, actor }) => removeSpec(context, signedIn(actor), params.id),
    }),
  ];
}
