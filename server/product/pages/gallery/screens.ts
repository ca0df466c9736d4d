import { idParams, NoFields } from '../../../../contract/fields.ts';
import { GalleryQuery } from '../../../../contract/pages/gallery.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { type Route, route, seeOther, toLogin } from '../../../platform/http/index.ts';
import { look } from '../../../platform/service-settings/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { askedAs, html, sayError, screen, t } from '../../../sites/screens/index.ts';
import { type ForkContext, forkPage } from '../editing/fork.ts';
import { findPage } from '../model/page-store.ts';
import { forkPath } from './cards.ts';
import type { Gallery } from './gallery.ts';
import { galleryScreen } from './gallery-screen.ts';

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
        return galleryScreen(context.baseUrl, asked, await context.gallery.list(asked, address));
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
