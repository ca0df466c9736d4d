import { idParams, NoFields } from '../../../../contract/fields.ts';
import { type GalleryList, GalleryQuery } from '../../../../contract/pages/gallery.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Route, route, seeOther, toLogin } from '../../../platform/http/index.ts';
import { look } from '../../../platform/service-settings/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { askedAs, type Html, html, say, sayError, screen, t } from '../../../sites/screens/index.ts';
import { type ForkContext, forkPage } from '../editing/fork.ts';
import { findPage } from '../model/page-store.ts';
import { forkPath, GALLERY_STYLES, galleryCards } from './cards.ts';
import type { Gallery } from './gallery.ts';

/** The gallery for people, and the question before a fork: plain pages without script. */

export interface GalleryContext extends ForkContext {
  baseUrl: string;
  gallery: Pick<Gallery, 'list'>;
}

const PER_PAGE = 24;

export function galleryScreens(context: GalleryContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/gallery',
      access: { kind: 'screen' },
      summary: 'The pages that their owners show to everyone',
      query: GalleryQuery,
      async handle({ query, address }) {
        const asked = { ...query, limit: PER_PAGE };
        return galleryScreen(context, asked, await context.gallery.list(asked, address));
      },
    }),
    route({
      method: 'GET',
      path: '/gallery/:id/fork',
      access: { kind: 'screen' },
      summary: 'Asks whether to fork a page',
      params: idParams,
      async handle({ params, actor, caller }) {
        const page = await context.directory.see(context.db, await findPage(context.db, params.id), caller);
        if (!actor) return toLogin(forkPath(page.id));
        return forkScreen(context, page, actor.username);
      },
    }),
    route({
      method: 'POST',
      path: '/gallery/:id/fork',
      access: { kind: 'account door' },
      stores: true,
      summary: 'Fork a page from the gallery',
      params: idParams,
      body: NoFields,
      acceptsForm: true,
      bodyOptional: true,
      async handle({ params: { id }, actor, caller }) {
        if (!actor) return toLogin(forkPath(id));
        try {
          const fork = await forkPage(context, { ...caller, actor }, id);
          return seeOther(`/pages/${fork.id}`);
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'QUOTA_EXCEEDED') throw error;
          const page = await findPage(context.db, id);
          if (!page) throw notFound('This page was not found.');
          return forkScreen(context, page, actor.username, error);
        }
      },
    }),
  ];
}

function galleryScreen(
  { baseUrl }: Pick<GalleryContext, 'baseUrl'>,
  query: GalleryQuery,
  { pages, total }: GalleryList,
): Promise<Response> {
  const q = query.q?.trim() ?? '';
  const found = q
    ? t('{total} found for “{q}”', { total, q })
    : t('{total|{total} page|{total} pages}', { total });
  const body = html`<div class="gallery-head">
<div><h1>${t('Gallery')}</h1><p>${found}</p></div>
<form class="gallery-search" method="get" action="/gallery" role="search">
<input type="search" name="q" value="${q}" maxlength="100" aria-label="${t('Search the gallery')}" placeholder="${t('Name, description or author')}">
<button class="quiet">${t('Search')}</button>
</form>
</div>
${pages.length > 0 ? galleryCards(pages) : nothing(q)}
${steps(query, q, total)}`;
  const description = t('Pages that people have published on {name}, to look at and to copy.', {
    name: look().name,
  });
  return screen(
    { title: t('Gallery'), body, description },
    { baseUrl, formTargets: "'self'", styles: GALLERY_STYLES },
  );
}

function nothing(q: string): Html {
  return q
    ? html`<div class="gallery-none"><h2>${t('Nothing found')}</h2><p>${say`Try another word, or <a href="/gallery">see all pages</a>.`}</p></div>`
    : html`<div class="gallery-none"><h2>${t('No pages yet')}</h2><p>${t('Owners add a page in its settings, with “Show in the gallery of this server”.')}</p></div>`;
}

function steps({ limit, offset }: GalleryQuery, q: string, total: number): Html | '' {
  if (total <= limit && offset === 0) return '';
  const link = (to: number, text: string, rel: string) => {
    const params = new URLSearchParams({ ...(q && { q }), ...(to > 0 && { offset: String(to) }) });
    return html`<a class="button quiet" rel="${rel}" href="/gallery${params.size > 0 ? `?${params}` : ''}">${text}</a>`;
  };
  const last = Math.min(offset + limit, total);
  return html`<nav class="gallery-pages" aria-label="${t('More pages')}">
${offset > 0 ? link(Math.max(0, offset - limit), t('Newer'), 'prev') : html`<span></span>`}
<span class="faint">${t('{first} to {last} of {total}', { first: offset + 1, last: Math.max(last, offset + 1), total })}</span>
${offset + limit < total ? link(offset + limit, t('Older'), 'next') : html`<span></span>`}
</nav>`;
}

function forkScreen(
  { baseUrl }: Pick<GalleryContext, 'baseUrl'>,
  page: PageRow,
  username: string,
  failure?: AppError,
): Promise<Response> {
  const path = forkPath(page.id);
  const body = html`<section class="card">
<h1>${t('Fork {name}?', { name: page.name })}</h1>
<p>${t('You get a copy with the same document, files and settings, without its data. It is yours: you can change it, and it changes nothing for others.')}</p>
<p>${t('The copy is published at a URL of its own on {name}. You can make it a draft in its settings.', { name: look().name })}</p>
${failure && html`<div class="error" role="alert"><p>${sayError(failure)}</p></div>`}
<form method="post" action="${path}"><div class="actions"><button>${t('Fork it')}</button><a class="button quiet" href="/gallery">${t('Cancel')}</a></div></form>
${askedAs(username, path)}
</section>`;
  const status = failure ? failure.status : 200;
  return screen(
    { title: t('Fork {name}', { name: page.name }), body },
    { baseUrl, status, formTargets: "'self'" },
  );
}
