import { specEndpoints } from '../../../../contract/agents/spec-endpoints.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { type DescribeContext, describePage } from './describe.ts';
import { putSpec, removeSpec, type SpecContext } from './save.ts';

/** Describes a page for agents, as data and as text. */
export { type DescribeContext, describePage } from './describe.ts';
export { pageText } from './page-text.ts';
/** Copies a page's spec to its forks, and frees it with the page. */
export { copySpec, freeSpec } from './save.ts';

/** Routes of agent specs, which describe a page to agents. */
export function agentSpecRoutes(
  context: SpecContext & DescribeContext & { readOwnSchemas: DescribeContext['readSchemas'] },
): Route[] {
  const { db, pages } = context;
  return [
    handle(specEndpoints.getAgentSpec, async ({ params, caller }) => {
      const page = await pages.see(db, await pages.find(db, params.id), caller);
      const isOwner = caller.actor?.userId === page.owner_id;
      return describePage(isOwner ? { ...context, readSchemas: context.readOwnSchemas } : context, page);
    }),
    handle(specEndpoints.setAgentSpec, async ({ params, body, actor }) => {
      const saved = await putSpec(context, actor, params.id, body.spec);
      return {
        spec: saved.spec,
        createdAt: toTimestamp(saved.created_at),
        updatedAt: toTimestamp(saved.updated_at),
      };
    }),
    handle(specEndpoints.deleteAgentSpec, ({ params, actor }) => removeSpec(context, actor, params.id)),
  ];
}
