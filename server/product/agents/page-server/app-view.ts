import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { escapeHtml } from '../../../lib/text.ts';
import { APP_DOCUMENT } from './app-document.ts';

/**
 * The page as an MCP App, https://apps.extensions.modelcontextprotocol.io: a document of ours with the page in a frame.
 * The page itself is not the app. An app can speak to the host, call tools and write into the conversation, and the
 * page's author must not. In the frame it has no origin and no cookies, so it is what a stranger sees.
 */
export const APP_URI = 'ui://quire/page';
const APP_TYPE = 'text/html;profile=mcp-app';

interface AppContext {
  baseUrl: string;
  pagesHost: string | undefined;
  isolation: 'origin' | 'sandbox' | 'trusted';
}

/** The address of a page for a frame. */
function frameUrl({ baseUrl, pagesHost, isolation }: AppContext, page: { id: number; slug: string }): string {
  if (isolation !== 'origin') return pageUrl(baseUrl, page.slug);
  return `${new URL(baseUrl).protocol}//p${page.id}.${pagesHost}/`;
}

/** The app as it is listed. */
export const APP_RESOURCE: Resource = {
  uri: APP_URI,
  name: 'page',
  title: 'The page',
  description: 'The page itself, to show to a person.',
  mimeType: APP_TYPE,
};

/** Reads the app. Its host may load nothing but the page, and only in a frame. */
export function readApp(context: AppContext, page: { id: number; slug: string }): ReadResourceResult {
  const url = frameUrl(context, page);
  const ui = { csp: { frameDomains: [new URL(url).origin] }, prefersBorder: true };
  const text = APP_DOCUMENT.replaceAll('{{URL}}', escapeHtml(url));
  return { contents: [{ uri: APP_URI, mimeType: APP_TYPE, text, _meta: { ui } }] };
}
