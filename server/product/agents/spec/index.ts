import { AgentSpec, PutSpec, SavedSpec, SPEC_BODY_LIMIT } from '../../../../contract/agent-spec.ts';
import type { SchemaResponse } from '../../../../contract/collection-schema.ts';
import { idOrSlugParams, idParams } from '../../../../contract/fields.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { putSpec, removeSpec, type SpecContext } from './save.ts';
import { findSpec } from './store.ts';

/** Copies a page's spec to its forks, and frees it with the page. */
export { copySpec, freeSpec } from './save.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;

/** Agent specs: what a page says about itself to agents. */
export function agentSpecRoutes(
  context: SpecContext & {
    /** The schemas of a page's collections. */
    schemasOf(pageId: number): Promise<SchemaResponse[]>;
  },
): Route[] {
  const { db, pages, schemasOf } = context;
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/agent-spec',
      operationId: 'getAgentSpec',
      access: { kind: 'public to pages' },
      summary: "Read a page's agent spec, by id or slug",
      params: idOrSlugParams,
      response: AgentSpec,
      async handle({ params, actor }) {
        const page = await pages.require(db, await pages.find(db, params.id), actor, 'see');
        const saved = await findSpec(db, page.id);
        return {
          spec: saved?.spec ?? null,
          storageMode: page.storage_mode === 'page' ? null : page.storage_mode,
          schemas: await schemasOf(page.id),
          updatedAt: saved ? toTimestamp(saved.updated_at) : null,
        };
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
