import { pageAddress, pageUrl } from '../../../../../contract/pages/pages.ts';
import { escapeHtml } from '../../../../lib/text.ts';
import { makeVariants, type Variants } from '../../../../platform/http/index.ts';
import type { PageRow } from '../../../../platform/storage/index.ts';
import { previewUrl } from '../../model/wire.ts';
import { connectForms } from './form-tags.ts';
import { injectionPoint } from './injection-point.ts';
import { missingPreviewTags } from './open-graph.ts';

/** The columns of a page that rendering needs. */
export type DescribedPage = Pick<
  PageRow,
  'id' | 'slug' | 'domain' | 'owner_id' | 'storage_mode' | 'name' | 'description' | 'preview_image' | 'repair'
>;

/** The input of rendering a document. It can be sent to another thread. */
export interface RenderInput {
  page: Omit<DescribedPage, 'owner_id' | 'storage_mode'> & { html_content: string };
  /** The path of an HTML file, as it is written in its URL. */
  file?: string;
  baseUrl: string;
  /** The URL of the SDK bundle for the page's storage mode. */
  sdkPath: string;
}

/** A rendered page in every encoding. */
export interface Rendered extends Variants {
  /** The common part of all entity tags: a client with any of them has this version. */
  tag: string;
  /** Where to insert a visitor's page session into the plain bytes, in sandbox isolation. */
  sessionAt: number;
  /** The `Link` header: where agents find out about the page. */
  links: string;
}

/**
 * Renders a page or an HTML file of it: fills placeholders, connects forms, inserts the SDK and the meta tags into the
 * head, and compresses it.
 */
export async function renderPage({ page, file, baseUrl, sdkPath }: RenderInput): Promise<Rendered> {
  const html = connectForms(page.html_content.replaceAll('{{PAGE_ID}}', String(page.id)), page.id);
  const at = injectionPoint(html);
  const attributes = [
    `src="${sdkPath}"`,
    `data-page-id="${page.id}"`,
    `data-slug="${page.slug}"`,
    `data-base="${escapeHtml(baseUrl)}"`,
    ...(page.repair === 1 ? ['data-repair'] : []),
  ];
  const address = pageAddress(baseUrl, page);
  const root = page.domain === null ? address : `${address}/`;
  const tags = missingPreviewTags(html, {
    ...page,
    url: file === undefined ? root : `${address}/${file}`,
    preview_image: previewUrl(baseUrl, page.preview_image),
  });
  const specUrl = `${baseUrl}/api/pages/${page.id}/agent-spec`;
  const spec = `<link rel="agent-spec" href="${escapeHtml(specUrl)}">`;
  const llmsUrl = `${address}/llms.txt`;
  const mcpUrl = `${pageUrl(baseUrl, page.slug)}/mcp`;
  const canonical = page.domain === null ? '' : `, <${address}/${file ?? ''}>; rel="canonical"`;
  const links = `<${specUrl}>; rel="agent-spec"; type="application/json", <${mcpUrl}>; rel="mcp", <${llmsUrl}>; rel="alternate"; type="text/plain"${canonical}`;
  const before = `${html.slice(0, at)}<script ${attributes.join(' ')}`;
  const bytes = Buffer.from(`${before}></script>${spec}${tags}${html.slice(at)}`);
  const tag = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { ...(await makeVariants(bytes, tag)), tag, sessionAt: Buffer.byteLength(before), links };
}

/** The tokens that the script of a page sends on behalf of its visitor, if it has no cookies. */
export interface VisitorTokens {
  pageSession?: string | undefined;
  pass?: string | undefined;
}

/** The document with a visitor's tokens in it. */
export function withTokens(
  bytes: Uint8Array,
  sessionAt: number,
  { pageSession, pass }: VisitorTokens,
): Uint8Array<ArrayBuffer> {
  const session = pageSession === undefined ? '' : ` data-page-session="${pageSession}"`;
  const attributes = Buffer.from(pass === undefined ? session : `${session} data-page-pass="${pass}"`);
  return Buffer.concat([bytes.subarray(0, sessionAt), attributes, bytes.subarray(sessionAt)]);
}
