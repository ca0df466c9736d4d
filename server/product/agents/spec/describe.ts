import { type AgentSpec, PAGE_FEATURES } from '../../../../contract/agents/agent-spec.ts';
import type { SchemaResponse } from '../../../../contract/data/collection-schema.ts';
import { FEATURE_FLAGS, pageUrl } from '../../../../contract/pages/pages.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { findSpec } from './store.ts';
import { usableScopes } from './usable-scopes.ts';

/** The dependencies of describing a page. */
export interface DescribeContext {
  db: Db;
  baseUrl: string;
  /** The schemas of a page's collections. */
  readSchemas(pageId: number): Promise<SchemaResponse[]>;
  /** The public functions that a page calls or that belong to it. */
  listFunctions(
    page: PageRow,
  ): Promise<Array<Pick<AgentSpec['functions'][number], 'slug' | 'displayName' | 'description'>>>;
}

/** Describes a page for agents: what it is, what it has, and how to use it. */
export async function describePage(context: DescribeContext, page: PageRow): Promise<AgentSpec> {
  const { db, baseUrl, readSchemas, listFunctions } = context;
  const saved = await findSpec(db, page.id);
  const functions = await listFunctions(page);
  const features = FEATURE_FLAGS.filter((flag) => page[flag] === 1).map((flag) => PAGE_FEATURES[flag]);
  return {
    spec: saved?.spec ?? null,
    storageMode: page.storage_mode === 'page' ? null : page.storage_mode,
    schemas: await readSchemas(page.id),
    updatedAt: saved ? toTimestamp(saved.updated_at) : null,
    name: page.name,
    description: page.description,
    url: pageUrl(baseUrl, page.slug),
    features: features.map(({ name, path }) => ({ name, url: `${baseUrl}/api/pages/${page.id}/${path}` })),
    functions: functions.map((each) => ({ ...each, url: `${baseUrl}/api/functions/${each.slug}` })),
    authentication: {
      scheme: 'bearer',
      scopes: usableScopes(page, false),
      tokenUrl: `${baseUrl}/api/auth/token`,
      resourceMetadata: `${baseUrl}/.well-known/oauth-protected-resource`,
      documentation: `${baseUrl}/docs/agents.md`,
    },
  };
}
