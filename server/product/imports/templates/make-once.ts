import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { type PublishedPage, pageUrl } from '../../../../contract/pages/pages.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { requireApi } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageFromTemplate } from '../../ports.ts';
import type { Publishing } from '../publishing/publishing.ts';
import { findRequested, insertRequest } from './store.ts';

/** Thrown to have removed what was made: the same request has made a page in the meantime. */
class MadeMeanwhile extends Error {}

/**
 * Makes a page, unless the same request with the same key has made it: its response may have been lost. Returns that page
 * then, as it is now.
 */
export async function makeOnce(
  db: Db,
  publishing: Publishing,
  wanted: PageFromTemplate,
  make: (onMade: (pageId: number) => Promise<void>) => Promise<PublishedPage>,
): Promise<PublishedPage> {
  if (wanted.requestKey === undefined) return make(async () => undefined);
  const digest = digestRequest(wanted);
  const known = await findRequested(db, digest);
  if (known !== undefined) return readPublished(publishing, known);
  try {
    return await make(async (pageId) => {
      if (!(await insertRequest(db, pageId, digest))) throw new MadeMeanwhile();
    });
  } catch (error) {
    const made = error instanceof MadeMeanwhile ? await findRequested(db, digest) : undefined;
    if (made === undefined) throw error;
    return readPublished(publishing, made);
  }
}

/** Other words with the same key are another request. */
function digestRequest({ requestKey, username, template, name, is_published }: PageFromTemplate): string {
  const { key, html_content } = template;
  return hashSecret(JSON.stringify([requestKey, username, key, html_content, name, is_published]));
}

async function readPublished({ api, exchange }: Publishing, id: number): Promise<PublishedPage> {
  const params = { id };
  const found = await requireApi(api, exchange, pageEndpoints.getPage, { params, query: {} });
  const { page, versionCount: version, storageMode: storage_mode } = found;
  const { name, slug, is_published, functions } = page;
  const flags = {
    page_api_ai_enabled: page.page_api_ai_enabled,
    page_api_image_gen_enabled: page.page_api_image_gen_enabled,
    page_api_image_search_enabled: page.page_api_image_search_enabled,
    page_api_image_recognition_enabled: page.page_api_image_recognition_enabled,
  };
  const url = pageUrl(api.baseUrl, slug);
  return {
    page: { id, name, slug, url, is_published, storage_mode, functions, ...flags },
    url,
    version,
    warnings: [],
  };
}
