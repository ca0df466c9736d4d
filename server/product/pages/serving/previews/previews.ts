import { PREVIEW_HEADER } from '../../../../../contract/rules/pages/preview-header.ts';
import { notFound } from '../../../../lib/errors.ts';
import type { Db, PageRow } from '../../../../platform/storage/index.ts';
import { PREVIEW_PATH } from '../../access/preview-links.ts';
import type { PageFiles } from '../../files/page-files.ts';
import type { PageDirectory } from '../../model/directory.ts';
import { findDraft, findDraftDocument } from '../../model/draft-store.ts';
import { refusalError } from '../../model/page-closed.ts';
import { findPage } from '../../model/page-store.ts';
import type { Passes, Previewed } from '../../model/passes.ts';
import { findVersion } from '../../model/version-store.ts';
import { Delivery } from '../delivery.ts';
import { FileCache } from '../files/file-cache.ts';
import { SiteFiles } from '../files/site-files.ts';
import { type CachedPage, toCached } from '../page-cache.ts';
import type { Renderer } from '../render/renderer.ts';
import type { Isolation } from '../sandbox-policy.ts';

/** Bytes of prepared previews in memory, and of their files. Few people look at a preview, a few times. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** The page that the address of a preview belongs to, by its slug or its host. */
type PreviewPlace = { slug: string } | { pageId: number };

interface PreviewsOptions {
  db: Db;
  passes: Passes;
  directory: Pick<PageDirectory, 'canWorkOn'>;
  files: Pick<PageFiles, 'open'>;
  renderer: Renderer;
  isolation: Isolation;
}

/** Sends drafts and versions to people with a link. Nobody counts that as a view. */
export class Previews {
  readonly #options: PreviewsOptions;
  readonly #cache = new FileCache<CachedPage>(CACHE_BYTES);
  readonly #delivery: Delivery;

  constructor(options: PreviewsOptions) {
    this.#options = options;
    this.#delivery = new Delivery({
      isolation: options.isolation,
      files: new SiteFiles({ ...options, cacheBytes: CACHE_BYTES }),
      views: { count: () => undefined },
      loaded: () => undefined,
    });
  }

  /** Sends a preview. `written` is the path below the page. Undefined if it is not the path of a preview. */
  send(request: Request, written: string, servedFrom: PreviewPlace): Promise<Response> | undefined {
    if (!written.startsWith(PREVIEW_PATH)) return undefined;
    const slash = written.indexOf('/', PREVIEW_PATH.length);
    const token = written.slice(PREVIEW_PATH.length, slash < 0 ? undefined : slash);
    return this.#send(request, { token, path: slash < 0 ? undefined : written.slice(slash + 1) }, servedFrom);
  }

  async #send(
    request: Request,
    { token, path }: { token: string; path: string | undefined },
    servedFrom: PreviewPlace,
  ): Promise<Response> {
    const { db, passes, directory } = this.#options;
    const previewed = passes.readPreview(token);
    const row = previewed && (await findPage(db, previewed.page));
    if (!row || !passes.isValidPreview(previewed, row)) throw gone();
    if ('pageId' in servedFrom && servedFrom.pageId !== row.id) throw gone();
    if (row.taken_down_at !== null) throw refusalError(row, 'taken down', undefined);
    if (row.owner_blocked_at !== null) throw refusalError(row, 'owner blocked', undefined);
    // Somebody who was removed from the team may still have the link.
    if (!(await directory.canWorkOn(db, row, previewed.by))) throw gone();
    const page = await this.#prepare(row, previewed);
    if (!page) throw gone();
    const root = 'slug' in servedFrom ? `/p/${row.slug}/` : '/';
    // The page may have another slug by now.
    const isMoved = 'slug' in servedFrom && servedFrom.slug !== row.slug;
    if (path === undefined || isMoved) return redirect(`${root}${PREVIEW_PATH}${token}/${path ?? ''}`);
    const where = 'slug' in servedFrom ? 'key' : 'own host';
    const at = `${root}${PREVIEW_PATH}${token}/`;
    const sent = await this.#delivery.sendBelow(page, path, request, where, undefined, at);
    if (!sent) throw notFound('This file was not found.');
    sent.headers.set(PREVIEW_HEADER, hashStamp(page.stamp));
    sent.headers.set('access-control-expose-headers', PREVIEW_HEADER);
    return privately(sent);
  }

  /** Prepares the current draft or version as a page. Undefined if it no longer exists. */
  async #prepare(row: PageRow, { draft, version }: Previewed): Promise<CachedPage | undefined> {
    const { db } = this.#options;
    const found = draft === undefined ? undefined : await findDraft(db, row.id, draft);
    if (draft !== undefined && !found) return undefined;
    const shown = found ? `draft ${found.id} ${found.revision}` : `version ${version}`;
    const key = `${row.id} ${shown} ${row.slug} ${row.updated_at}`;
    return (
      this.#cache.get(key) ??
      this.#cache.load(key, row.owner_id, async () => {
        const document = found
          ? await findDraftDocument(db, row.id, found.id)
          : await findVersion(db, row.id, version ?? 0);
        return document && this.#render(row, key, document);
      })
    );
  }

  async #render(
    row: PageRow,
    stamp: string,
    { html_content, size, manifest_id }: { html_content: string; size: number; manifest_id: number | null },
  ): Promise<{ content: CachedPage; size: number } | undefined> {
    const { renderer } = this.#options;
    const read = await renderer.readFiles({ manifest_id });
    const page = { ...row, domain: null };
    const rendered = await renderer.renderFile(page, { size, read: async () => html_content });
    if (!rendered) return undefined;
    const cached = toCached({ row: page, rendered, ...read });
    const content = { ...cached, isOpen: false, isUnlisted: true, stamp, checkedAt: 0 };
    return { content, size: cached.size };
  }
}

/** Changes with the draft, and with what it is shown with. */
const hashStamp = (stamp: string) => Bun.hash(stamp).toString(36);

/** Adds the headers of a response for this client only. Its address is a secret, so it must not be a referrer. */
function privately(response: Response): Response {
  response.headers.set('cache-control', 'private, no-store');
  response.headers.set('x-robots-tag', 'noindex, nofollow');
  response.headers.set('referrer-policy', 'no-referrer');
  response.headers.set('access-control-allow-origin', '*');
  return response;
}

function redirect(location: string): Response {
  return privately(new Response(null, { status: 302, headers: { location } }));
}

const gone = () => notFound('This preview was not found.');
