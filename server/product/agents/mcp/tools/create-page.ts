import { pageEndpoints } from '../../../../../contract/pages/endpoints.ts';
import { fileEndpoints } from '../../../../../contract/pages/files/file-endpoints.ts';
import type { ReplacedFiles } from '../../../../../contract/pages/files/files.ts';
import type { PublishedPage } from '../../../../../contract/pages/pages.ts';
import { INDEX_PATH } from '../../../../../contract/rules/file-paths.ts';
import { badRequest } from '../../../../lib/errors.ts';
import type { Api, Input } from './definition.ts';
import { readFiles, toForm } from './files/write-files.ts';

/**
 * Publishes a page with its files. It is published when they are there, so that nobody sees it without them. If one of
 * the steps fails, there is no page.
 */
export async function createPage({ files, ...fields }: Input, api: Api): Promise<Response> {
  if (files === undefined) return api.request(pageEndpoints.createPage, { json: fields });
  const written = readFiles({ files });
  if (written.has(INDEX_PATH))
    throw badRequest([{ path: 'files', message: `cannot have ${INDEX_PATH}, which is html_content` }]);
  const created = await api.request(pageEndpoints.createPage, { json: { ...fields, is_published: false } });
  if (!created.ok) return created;
  const made = (await created.json()) as PublishedPage;
  const params = { id: made.page.id };
  const failWith = async (response: Response) => {
    await api.request(pageEndpoints.deletePage, { params });
    return response;
  };
  // The document comes along, so that it is checked for mistakes when its files are there.
  const body = toForm(written.set(INDEX_PATH, String(fields.html_content)), {});
  const replaced = await api.request(fileEndpoints.replacePageFiles, { params, body });
  if (!replaced.ok) return failWith(replaced);
  const { version, warnings } = (await replaced.json()) as ReplacedFiles;
  const isPublished = fields.is_published !== false;
  if (isPublished) {
    const published = await api.request(pageEndpoints.updatePage, { params, json: { is_published: true } });
    if (!published.ok) return failWith(published);
  }
  return Response.json({ ...made, page: { ...made.page, is_published: isPublished }, version, warnings });
}
