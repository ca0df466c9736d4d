import { escapeHtml } from '../lib/text.ts';
import { injectionPoint } from './injection-point.ts';
import { missingPreviewTags } from './open-graph.ts';
import { pageUrl, previewUrl, type StorageMode } from './schema.ts';
import type { PageDocument } from './store.ts';

/** A page as it is sent, in two halves: a visitor's page session goes between them in sandbox isolation. */
export interface Rendered {
  before: string;
  after: string;
}

export interface RenderOptions {
  baseUrl: string;
  /** The address of the bundle for pages in this mode. */
  sdkPath(mode: StorageMode): string;
}

/** Renders a page: placeholders filled, the SDK first in the head, then the tags that describe it. */
export function renderPage(page: PageDocument, options: RenderOptions): Rendered {
  const html = page.html_content.replaceAll('{{PAGE_ID}}', String(page.id));
  const at = injectionPoint(html);
  const attributes = [
    `src="${options.sdkPath(page.storage_mode)}"`,
    `data-page-id="${page.id}"`,
    `data-slug="${page.slug}"`,
    `data-base="${escapeHtml(options.baseUrl)}"`,
  ];
  const tags = missingPreviewTags(html, {
    ...page,
    url: pageUrl(options.baseUrl, page.slug),
    preview_image: previewUrl(options.baseUrl, page.preview_image),
  });
  const spec = `<link rel="agent-spec" href="${escapeHtml(options.baseUrl)}/api/pages/${page.id}/agent-spec">`;
  return {
    before: `${html.slice(0, at)}<script ${attributes.join(' ')}`,
    after: `></script>${spec}${tags}${html.slice(at)}`,
  };
}

/** The whole document; with a visitor's page session where the page has no cookie of its own to keep it in. */
export function joinRendered({ before, after }: Rendered, pageSession?: string): string {
  return pageSession === undefined ? before + after : `${before} data-page-session="${pageSession}"${after}`;
}
