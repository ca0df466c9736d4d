import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import type { Instance } from '../../../../contract/admin/instance.ts';
import type { GalleryList, GalleryQuery } from '../../../../contract/pages/gallery.ts';
import type { Language } from '../../../../contract/rules/texts/languages.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { language, makeVariants, sendVariants, type Variants } from '../../../platform/http/index.ts';
import { type Look, look } from '../../../platform/service-settings/index.ts';
import { type Html, html, screen, t } from '../../screens/index.ts';
import { type OffersBuilder, showTemplate, type TemplateShelf, WISH_STYLES } from '../../templates/index.ts';
import STYLES from './start.css' with { type: 'text' };
import { type Shown, startActions, startBody } from './start-body.ts';

/** Two rows on most screens. */
const SHOWN_PAGES = 6;
/** The templates on the start page, in this order, as far as there are pictures of them. */
const SHOWN_TEMPLATES = [
  'event',
  'quiz',
  'poll',
  'launch',
  'links',
  'album',
  'survey',
  'portfolio',
  'guestbook',
  'habits',
  'ideas',
  'team-board',
];
const MAX_SHOWN_TEMPLATES = 8;
const NO_PAGES: GalleryList = { pages: [], total: 0, topics: [], limit: SHOWN_PAGES, offset: 0 };

export interface StartContext {
  baseUrl: string;
  registration(): Promise<RegistrationMode>;
  offersBuilder: OffersBuilder;
  gallery: {
    list(query: GalleryQuery): Promise<GalleryList>;
    /** Pages as the gallery shows them. */
    toCards(pages: GalleryList['pages']): Html;
    styles: string;
  };
  instance: { readonly current: Instance };
  templates(): TemplateShelf;
}

/** What the last rendering was made of. A value that has changed is another object. */
interface Rendered {
  look: Look;
  list: GalleryList;
  mode: RegistrationMode;
  canBuild: boolean;
  variants: Promise<{ variants: Variants; headers: Record<string, string> }>;
}

/** The start page for visitors who are not logged in. It is rendered again only when something on it has changed. */
export function createStartScreen(context: StartContext): (request: Request) => Promise<Response> {
  const byLanguage = new Map<Language, Rendered>();
  return async (request) => {
    // Even while the database is unavailable: then with the pages that were last known.
    const spoken = language();
    let rendered = byLanguage.get(spoken);
    const known = rendered?.list ?? NO_PAGES;
    const list = await context.gallery
      .list({ order: 'newest', limit: SHOWN_PAGES, offset: 0 })
      .catch(() => known);
    const mode = await context.registration();
    const canBuild = await context.offersBuilder();
    const now = look();
    const isSame = rendered?.list === list && rendered.mode === mode && rendered.canBuild === canBuild;
    if (!rendered || rendered.look !== now || !isSame) {
      const variants = render(context, { list, mode, canBuild });
      rendered = { look: now, list, mode, canBuild, variants };
      byLanguage.set(spoken, rendered);
      variants.catch(() => byLanguage.delete(spoken));
    }
    const { variants, headers } = await rendered.variants;
    const response = sendVariants(variants, request, { ...headers, 'cache-control': 'private, no-cache' });
    // The same address is the dashboard for people who are logged in.
    response.headers.set('vary', 'Cookie, Accept-Language, Accept-Encoding');
    return response;
  };
}

async function render(
  context: StartContext,
  { list, mode, canBuild }: Pick<Shown, 'list' | 'mode' | 'canBuild'>,
) {
  const { baseUrl, gallery } = context;
  const instance = context.instance.current;
  const shown: Shown = {
    baseUrl,
    instance,
    list,
    cards: gallery.toCards(list.pages),
    mode,
    canBuild,
    templates: pickTemplates(context.templates()),
  };
  const title = instance.tagline || t('Say it, and it is a page');
  const about =
    instance.text.split(/\n\s*\n/)[0]?.slice(0, 200) ||
    t('Pages that do something: invitations that collect answers, quizzes, polls, boards.');
  const response = await screen(
    { title, body: startBody(shown), description: about },
    {
      baseUrl,
      formTargets: "'self'",
      styles: gallery.styles + WISH_STYLES + STYLES,
      head: linkPreview(shown, title, about),
      actions: startActions(shown),
    },
  );
  const text = await response.text();
  const { 'cache-control': _, ...headers } = Object.fromEntries(response.headers);
  return { headers, variants: await makeVariants(Buffer.from(text), hashSecret(text).slice(0, 16)) };
}

function pickTemplates(shelf: TemplateShelf): Shown['templates'] {
  const byKey = new Map(shelf.described.map((described) => [described.key, described]));
  return SHOWN_TEMPLATES.flatMap((key) => byKey.get(key) ?? [])
    .map((described) => showTemplate(described, shelf, language()))
    .filter(({ picture }) => picture !== undefined)
    .slice(0, MAX_SHOWN_TEMPLATES);
}

/** What chats and social media show of a link to this server. */
function linkPreview({ baseUrl, instance }: Shown, title: string, about: string) {
  return html`
<meta property="og:type" content="website">
<meta property="og:site_name" content="${instance.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${about}">
<meta property="og:url" content="${baseUrl}/">
${instance.logo && html`<meta property="og:image" content="${instance.logo}">`}`;
}
