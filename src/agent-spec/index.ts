import type { SchemaEntry } from '../data/index.ts';
import { idOrSlugParams, idParams, type Route, route, toTimestamp } from '../http/index.ts';
import { type CopyToFork, type PageRow, requirePage } from '../pages/index.ts';
import type { Db } from '../storage/index.ts';
import { AgentSpec, PutSpec, SavedSpec, SPEC_BODY_LIMIT } from './schema.ts';
import { deleteSpec, findSpec, saveSpec } from './store.ts';

const WRITE = { kind: 'management', scope: 'pages:write' } as const;

/** What a page tells agents about itself. */
export function agentSpecRoutes(context: {
  db: Db;
  now: () => number;
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
  schemasOf(pageId: number): Promise<SchemaEntry[]>;
}): Route[] {
  const { db, now, findPageByIdOrSlug, schemasOf } = context;
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
        const page = await requirePage(db, await findPageByIdOrSlug(params.id), actor, 'see');
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
      access: WRITE,
      summary: "Write a page's agent spec",
      params: idParams,
      body: PutSpec,
      bodyLimit: SPEC_BODY_LIMIT,
      response: SavedSpec,
      async handle({ params, body, actor }) {
        const page = await requirePage(db, await findPageByIdOrSlug(String(params.id)), actor, 'own');
        const saved = await saveSpec(db, page.id, body.spec, now());
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
      async handle({ params, actor }) {
        const page = await requirePage(db, await findPageByIdOrSlug(String(params.id)), actor, 'own');
        await deleteSpec(db, page.id);
      },
    }),
  ];
}

/** Gives a fork its source's spec. */
export function copySpec(now: () => number): CopyToFork {
  return async (tx, from, to) => {
    const saved = await findSpec(tx, from.id);
    if (saved) await saveSpec(tx, to.id, saved.spec, now());
  };
}
