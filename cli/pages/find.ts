import type { AgentSpec } from '../../contract/agents/agent-spec.ts';
import { specEndpoints } from '../../contract/agents/spec-endpoints.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type { PageWithExtras } from '../../contract/pages/pages.ts';
import { findStorageType } from '../../contract/rules/storage-modes.ts';
import { type Api, ApiError } from '../client/api.ts';
import type { FolderMemory, KnownPage } from '../project/memory.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The id of the page with this slug or id. */
export async function findPageId(api: Api, slugOrId: string): Promise<number> {
  if (/^\d+$/.test(slugOrId)) return Number(slugOrId);
  const found = await lookUp(api, slugOrId);
  if (found) return found.id;
  throw new CommandError(`The page ${slugOrId} does not exist at ${api.baseUrl}.`, EXIT.notFound);
}

/** The page with this slug, if the caller can see one. */
export const lookUp = (api: Api, slug: string) => api.find(pageEndpoints.lookUpPage, { query: { slug } });

export const readPage = (api: Api, id: number) => api.call(pageEndpoints.getPage, { params: { id } });

/** The page of a folder, and what the folder had of it at the last push or pull. Undefined if it proves no page. */
export async function findKnownPage(
  api: Api,
  memory: FolderMemory,
  file: string,
): Promise<{ known: KnownPage; read: PageWithExtras } | undefined> {
  const known = await memory.page(file);
  if (!known) return undefined;
  try {
    const read = await readPage(api, known.page_id);
    return read.folderSeal === known.seal ? { known, read } : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

export const readSpec = (api: Api, id: number) => api.call(specEndpoints.getAgentSpec, { params: { id } });

/** The schemas of a storage mode. The server keeps those of other modes until the page uses them again. */
export function selectSchemas({ schemas }: AgentSpec, mode: string): AgentSpec['schemas'] {
  return schemas.filter(({ storageType }) => storageType === findStorageType(mode));
}
