import type { GalleryList, GalleryQuery } from '../../../../contract/pages/gallery.ts';
import { GALLERY_ORDERS } from '../../../../contract/rules/pages/gallery-topics.ts';
import { look } from '../../../platform/service-settings/index.ts';
import { type Html, html, say, screen, t } from '../../../sites/screens/index.ts';
import { GALLERY_STYLES, galleryCards } from './cards.ts';
import { sayOrder, sayTopic } from './topics.ts';

/** What is in the address of the gallery. */
type Asked = Pick<GalleryQuery, 'q' | 'topic' | 'order' | 'offset'>;

/** The gallery as a page that needs no script: what it shows is in its address. */
export function galleryScreen(
  baseUrl: string,
  query: GalleryQuery,
  { pages, total, topics }: GalleryList,
): Promise<Response> {
  const asked = { ...query, q: query.q?.trim() };
  const { topic } = asked;
  const { name } = look();
  const title = topic ? t('{topic} in the gallery', { topic: sayTopic(topic) }) : t('Gallery');
  const description = topic
    ? t('Pages about {topic} that people have published on {name}.', { topic: sayTopic(topic), name })
    : t('Pages that people have published on {name}, to look at and to copy.', { name });
  const isEmpty = total === 0 && !asked.q && !topic;
  const body = html`<div class="gallery-head">
<div><h1>${t('Gallery')}</h1><p>${t('Made by people on {name}. Open one, or fork it and make it yours.', { name })}</p></div>
${!isEmpty && searchForm(asked)}
</div>
${(topics.length > 1 || topic) && topicLinks(asked, topics)}
${total > 0 && html`<div class="gallery-line"><p role="status">${sayTotal(asked, total)}</p>${total > 1 && orderLinks(asked)}</div>`}
${pages.length > 0 ? galleryCards(pages) : nothing(asked, total)}
${steps(query, asked, total)}`;
  return screen(
    { title, body, description },
    { baseUrl, formTargets: "'self'", styles: GALLERY_STYLES, head: describeToRobots(baseUrl, asked, title) },
  );
}

/** The address of the gallery with these choices. Those that everyone begins with are left out. */
function toAddress({ q, topic, order, offset }: Asked): string {
  const params = new URLSearchParams({
    ...(q && { q }),
    ...(topic && { topic }),
    ...(order !== 'newest' && { order }),
    ...(offset > 0 && { offset: String(offset) }),
  });
  return `/gallery${params.size > 0 ? `?${params}` : ''}`;
}

/** A search engine needs each topic once, in one order, and no searches. */
function describeToRobots(baseUrl: string, asked: Asked, title: string): Html {
  const canonical = baseUrl + toAddress({ ...asked, q: undefined, order: 'newest' });
  return html`<link rel="canonical" href="${canonical}"><meta property="og:title" content="${title}"><meta property="og:url" content="${canonical}">${asked.q && html`<meta name="robots" content="noindex">`}`;
}

function searchForm({ q = '', topic, order }: Asked): Html {
  const kept = { ...(topic && { topic }), ...(order !== 'newest' && { order }) };
  return html`<form class="gallery-search" method="get" action="/gallery" role="search">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="search" name="q" value="${q}" maxlength="100" aria-label="${t('Search the gallery')}" placeholder="${t('Name, description or author')}">
<button class="quiet">${t('Search')}</button>
</form>`;
}

function topicLinks(asked: Asked, topics: GalleryList['topics']): Html {
  const link = (topic: Asked['topic'], text: string, pages?: number) =>
    html`<li><a href="${toAddress({ ...asked, topic, offset: 0 })}"${topic === asked.topic ? html` aria-current="page"` : ''}>${text}${pages !== undefined && html` <span>${pages}</span>`}</a></li>`;
  return html`<nav class="gallery-topics" aria-label="${t('Topics')}"><ul>
${link(undefined, t('All'))}
${topics.map(({ topic, pages }) => link(topic, sayTopic(topic), pages))}
</ul></nav>`;
}

function orderLinks(asked: Asked): Html {
  const links = GALLERY_ORDERS.map(
    (order) =>
      html`<a href="${toAddress({ ...asked, order, offset: 0 })}"${order === asked.order ? html` aria-current="true"` : ''}>${sayOrder(order)}</a>`,
  );
  return html`<nav class="gallery-order" aria-label="${t('Order')}">${links}</nav>`;
}

function sayTotal({ q, topic }: Asked, total: number): string {
  if (q && topic) return t('{total} found for “{q}” in {topic}', { total, q, topic: sayTopic(topic) });
  if (q) return t('{total} found for “{q}”', { total, q });
  return t('{total|{total} page|{total} pages}', { total });
}

function nothing({ q, topic }: Asked, total: number): Html {
  if (total > 0)
    return html`<div class="gallery-none"><h2>${t('There are no more pages')}</h2><p>${say`Go back to <a href="/gallery">the first ones</a>.`}</p></div>`;
  if (q || topic)
    return html`<div class="gallery-none"><h2>${t('Nothing found')}</h2><p>${say`Try another word, or <a href="/gallery">see all pages</a>.`}</p></div>`;
  return html`<div class="gallery-none"><h2>${t('No pages yet')}</h2><p>${t('Owners add a page in its settings, with “Show in the gallery of this server”.')}</p><p><a class="button" href="/">${t('Make the first one')}</a></p></div>`;
}

function steps({ limit, offset }: GalleryQuery, asked: Asked, total: number): Html | '' {
  if (total <= limit && offset === 0) return '';
  const link = (to: number, text: string, rel: string) =>
    html`<a class="button quiet" rel="${rel}" href="${toAddress({ ...asked, offset: to })}">${text}</a>`;
  const isByAge = asked.order === 'newest';
  const last = Math.min(offset + limit, total);
  return html`<nav class="gallery-pages" aria-label="${t('More pages')}">
${offset > 0 ? link(Math.max(0, offset - limit), isByAge ? t('Newer') : t('Previous'), 'prev') : html`<span></span>`}
${last > offset ? html`<span class="faint">${t('{first} to {last} of {total}', { first: offset + 1, last, total })}</span>` : ''}
${offset + limit < total ? link(offset + limit, isByAge ? t('Older') : t('Next'), 'next') : html`<span></span>`}
</nav>`;
}
