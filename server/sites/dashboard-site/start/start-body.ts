import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import type { Instance } from '../../../../contract/admin/instance.ts';
import type { GalleryList } from '../../../../contract/pages/gallery.ts';
import { type Html, html, say, t } from '../../screens/index.ts';

interface Picture {
  href: string;
  width: number;
  height: number;
}

/** What the start page shows. */
export interface Shown {
  baseUrl: string;
  instance: Instance;
  list: GalleryList;
  /** The pages of the list. */
  cards: Html;
  mode: RegistrationMode;
  pictures: { light: Picture; dark: Picture };
}

export function startBody(shown: Shown): Html {
  return html`${hero(shown)}
${gallery(shown)}
${about(shown)}
${offers(shown)}`;
}

function hero({ instance, mode, pictures: { light, dark } }: Shown): Html {
  const ways =
    mode === 'open'
      ? html`<a class="button" href="/register">${t('Create an account')}</a> <a class="button quiet" href="/login">${t('Log in')}</a>`
      : html`<a class="button" href="/login">${t('Log in')}</a>`;
  return html`<section class="hero">
<div class="hero-words">
<h1>${instance.tagline || t('Publish a page with a back\u00a0end, in a minute')}</h1>
<p class="lede">${t('Write HTML and get a live page. Add a function with a database, and store data for each visitor, a team or everyone. Everything runs on this server.')}</p>
<p class="ways">${ways}</p>
${mode === 'invite' ? html`<p class="faint">${t('New accounts need an invite from an administrator.')}</p>` : ''}
</div>
<picture class="hero-picture">
<source srcset="${dark.href}" media="(prefers-color-scheme: dark)" width="${dark.width}" height="${dark.height}">
<img src="${light.href}" width="${light.width}" height="${light.height}" alt="${t('The editor: the HTML of a page on the left, the live page on the right.')}" fetchpriority="high">
</picture>
</section>`;
}

function gallery({ list, cards }: Shown): Html | '' {
  if (list.pages.length === 0) return '';
  const more =
    list.total > list.pages.length
      ? html`<a href="/gallery">${t('See all {count} pages', { count: list.total })}</a>`
      : html`<a href="/gallery">${t('Open the gallery')}</a>`;
  return html`<section class="start-gallery" aria-labelledby="gallery">
<div class="gallery-head"><h2 id="gallery">${t('Made on this server')}</h2><p>${more}</p></div>
${cards}
</section>`;
}

/** Text of the administrator, never HTML. */
function about({ instance }: Shown): Html | '' {
  const paragraphs = instance.text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);
  if (paragraphs.length === 0) return '';
  return html`<section class="about" aria-labelledby="about">
<h2 id="about">${t('About {name}', { name: instance.name })}</h2>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
</section>`;
}

function offers({ baseUrl }: Shown): Html {
  return html`<div class="offers">
<section>
<h2>${t('For you')}</h2>
<p>${say`An editor with live preview and versions, and your data and functions. <a href="/docs/quick-start">Quick start</a>`}</p>
</section>
<section>
<h2>${t('For your agent')}</h2>
<p>${say`Give it <a href="/llms.txt">${baseUrl}/llms.txt</a>, and it can publish on its own. Or connect it to <a href="/docs/agents">the MCP server</a>.`}</p>
</section>
<section>
<h2>${t('For programs')}</h2>
<p>${say`The HTTP API can do everything that the dashboard does. <a href="/docs/api">API reference</a>`}</p>
</section>
</div>`;
}
