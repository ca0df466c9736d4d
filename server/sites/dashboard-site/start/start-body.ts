import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import type { Instance } from '../../../../contract/admin/instance.ts';
import type { GalleryList } from '../../../../contract/pages/gallery.ts';
import { type Html, html, say, t } from '../../screens/index.ts';
import { type ShownTemplate, toTryPath, wishBox } from '../../templates/index.ts';

/** What the start page shows. */
export interface Shown {
  baseUrl: string;
  instance: Instance;
  list: GalleryList;
  /** The pages of the list. */
  cards: Html;
  mode: RegistrationMode;
  /** Whether the builder makes what somebody says. */
  canBuild: boolean;
  /** The templates to show, in this order. */
  templates: ShownTemplate[];
}

export function startBody(shown: Shown): Html {
  return html`${hero(shown)}
${templates(shown)}
${gallery(shown)}
${about(shown)}
${offers(shown)}`;
}

/** Links in the header. */
export function startActions({ mode }: Pick<Shown, 'mode'>): Html {
  const create =
    mode === 'open' ? html` <a class="button" href="/register">${t('Create an account')}</a>` : '';
  return html`<nav class="start-ways" aria-label="${t('Account')}"><a class="button quiet" href="/login">${t('Log in')}</a>${create}</nav>`;
}

function hero({ instance, mode, canBuild }: Shown): Html {
  return html`<section class="hero">
<h1>${instance.tagline || t('Say it, and it is a page')}</h1>
<p class="lede">${t('{name} makes pages that do something: invitations that collect answers, quizzes, polls, boards. They live on this server, with their data.', { name: instance.name })}</p>
${wishBox({ canBuild, canTryAsGuest: mode === 'open' })}
${mode === 'invite' ? html`<p class="faint">${t('New accounts need an invite from an administrator.')}</p>` : ''}
</section>`;
}

/** How many pictures a browser loads at once. */
const SEEN_FIRST = 4;

function templates({ templates: shown }: Shown): Html | '' {
  if (shown.length === 0) return '';
  const cards = shown.map(
    ({ key, title, description, picture }, index) =>
      html`<li><a href="${toTryPath({ template: key })}"><img src="${picture}" width="800" height="500" alt="" ${index < SEEN_FIRST ? html`fetchpriority="high"` : html`loading="lazy"`}><strong>${title}</strong><span>${description}</span></a></li>`,
  );
  return html`<section class="start-templates" aria-labelledby="templates">
<h2 id="templates">${t('Or start with one of these')}</h2>
<ul>${cards}</ul>
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
<p>${say`Change what you see, with versions, statistics, functions and data when you need them. <a href="/docs/quick-start">Quick start</a>`}</p>
</section>
<section>
<h2>${t('For your agent')}</h2>
<p>${say`Give it <a href="/llms.txt">${baseUrl}/llms.txt</a>, and it can publish on its own. Or connect it to <a href="/docs/agents">the MCP server</a>.`}</p>
</section>
<section>
<h2>${t('For schools')}</h2>
<p>${say`Everything stays on your own server. Classes make quizzes, walls and boards, and you decide who gets an account. <a href="/docs/privacy">Privacy</a>`}</p>
</section>
</div>`;
}
