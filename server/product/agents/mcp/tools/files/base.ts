import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import type { DraftDetail } from '../../../../../../contract/pages/drafts.ts';
import { pageVersionEndpoints } from '../../../../../../contract/pages/versions/version-endpoints.ts';
import type { VersionList } from '../../../../../../contract/pages/versions/versions.ts';
import { badRequest } from '../../../../../lib/errors.ts';
import type { Api, Input } from '../definition.ts';

/** Fails unless the arguments name either a page, whose files they may be in a draft, or a function. */
export function assertTarget({ id, slug, draft, revision }: Input): void {
  if ((id === undefined) === (slug === undefined))
    throw badRequest([{ path: 'id', message: 'or slug is required, and not both' }]);
  const wrong = Object.entries({ draft, revision }).filter(([, value]) => value !== undefined);
  if (slug !== undefined && wrong.length > 0)
    throw badRequest(wrong.map(([path]) => ({ path, message: 'cannot be used with slug' })));
}

/** What a change of files is based on: a version of the page, or a revision of the draft. */
export interface Base {
  isDraft: boolean;
  params: { id: string; draft: string };
  /** The query that makes the change fail if someone else was faster. */
  query: { base_version?: number; revision?: number };
  /** The files of the draft, which come with its revision. */
  files: DraftDetail['files'] | undefined;
}

/** Reads what a change is based on, unless the agent says so itself. Returns the response of the API if it fails. */
export async function readBase(input: Input, api: Api): Promise<Base | Response> {
  const params = { id: String(input.id), draft: String(input.draft) };
  if (input.draft !== undefined) {
    const response = await api.request(draftEndpoints.getDraft, { params });
    if (!response.ok) return response;
    const { revision, files } = (await response.json()) as DraftDetail;
    return { isDraft: true, params, files, query: { revision: Number(input.revision ?? revision) } };
  }
  const response = await api.request(pageVersionEndpoints.listPageVersions, { params });
  if (!response.ok) return response;
  const { versions } = (await response.json()) as VersionList;
  const current = versions.find(({ current }) => current)?.version;
  const base_version = input.base_version === undefined ? current : Number(input.base_version);
  return {
    isDraft: false,
    params,
    files: undefined,
    query: base_version === undefined ? {} : { base_version },
  };
}
