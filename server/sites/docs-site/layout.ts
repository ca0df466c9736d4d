import { raw } from 'hono/html';
import { hashSecret } from '../../lib/secrets.ts';
import { type Route, route } from '../../platform/http/index.ts';
import { look } from '../../platform/service-settings/index.ts';
import {
  brand,
  html,
  inlineHash,
  lookStyles,
  SCREEN_STYLES,
  screenHeaders,
  screenIcon,
  sendScript,
} from '../screens/index.ts';
import styles from './layout.css' with { type: 'text' };
import { findNeighbours, type Section } from './navigation.ts';
import { DOCS_PATH } from './shelf.ts';

type Html = ReturnType<typeof html>;

/** Longer queries are cut: nobody types them. */
export const MAX_QUERY = 200;
export const SEARCH_PATH = '/docs/search';
const SCRIPT_PATH = '/assets/docs-search.js';

/** The content of a page. */
export interface DocsContent {
  /** The page's path, to mark it in the navigation. */
  href: string;
  title: string;
  main: Html;
  /** Links to the page's sections, as list items, for the side column. */
  contents?: Html;
  /** A shorter list of links to sections, for small screens. */
  shortContents?: Html;
  /** The URL of the Markdown source. */
  source?: string;
  /** Who the page is for. */
  audience?: string | undefined;
  /** What is searched for. */
  query?: string;
  /** Additional CSS for this page. */
  styles?: string;
}

export interface DocsPage {
  text: string;
  headers: Record<string, string>;
}

/** The styles of the screens, in a layer, so every rule of the documentation overrides them. */
const STYLESHEET = `@layer screen {\n${SCREEN_STYLES}}\n${styles}`;
const STYLESHEET_PATH = `/assets/docs-${hashSecret(STYLESHEET).slice(0, 12)}.css`;

/** Lays out a page: navigation, text, table of contents, and links to the previous and next page. */
export async function docsPage(content: DocsContent, sections: Section[]): Promise<DocsPage> {
  const { href, title, main, contents, shortContents = contents, source } = content;
  const links = sections.flatMap((section) => section.links);
  const about = links.find((link) => link.href === href)?.about ?? `${title}, in the documentation of Quire.`;
  const inline = `${content.styles ?? ''}${lookStyles()}`;
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${look().name}</title>
<meta name="description" content="${about}">
${screenIcon()}
<link rel="stylesheet" href="${STYLESHEET_PATH}">
${source && html`<link rel="alternate" type="text/markdown" href="${source}">`}
<style>${raw(inline)}</style>
</head>
<body>
<a class="button skip" href="#text">Skip to the text</a>
<header>${brand()} <a class="place" href="${DOCS_PATH}">Docs</a>${searchForm(content.query)}</header>
<div class="columns">
<details class="narrow menu"><summary>All pages</summary>
<nav aria-label="All pages">${chapters(sections, href)}</nav>
</details>
<nav class="side wide" aria-label="Docs">${chapters(sections, href)}</nav>
<main id="text">
<h1>${title}</h1>
${content.audience && html`<p class="audience">${content.audience}</p>`}
${shortContents && html`<details class="here-short"><summary>On this page</summary><ul class="links">${shortContents}</ul></details>`}
${main}
<footer>
${steps(sections, href)}
${source && html`<p class="faint"><a href="${source}">This page as Markdown</a></p>`}
</footer>
</main>
${contents && html`<nav class="side here" aria-label="On this page"><p class="chapter">On this page</p><ul class="links">${contents}</ul></nav>`}
</div>
<script src="${SCRIPT_PATH}" type="module"></script>
</body>
</html>
`;
  return {
    text: String(text),
    headers: screenHeaders({ inlineStyleHash: inlineHash(inline), formTargets: "'self'", script: "'self'" }),
  };
}

/** Without scripts, the form leads to a page of results. */
function searchForm(query = ''): Html {
  return html`<form class="find" role="search" action="${SEARCH_PATH}">
<input type="search" name="q" value="${query}" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" maxlength="${MAX_QUERY}" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd>
<div class="found" id="found" role="listbox" aria-label="Results" data-none="Nothing was found. Try fewer or other words." hidden></div>
</form>`;
}

function chapters(sections: Section[], current: string): Html[] {
  return sections.map(({ title, links, isFolded }) => {
    const list = html`<ul class="links">
${links.map(
  (link) =>
    html`<li><a href="${link.href}"${link.href === current && raw(' aria-current="page"')}>${link.title}</a></li>
`,
)}</ul>`;
    if (!isFolded) return html`<p class="chapter">${title}</p>${list}`;
    const isOpen = links.some(({ href }) => href === current);
    return html`<details class="fold"${isOpen && raw(' open')}><summary class="chapter">${title}</summary>${list}</details>`;
  });
}

function steps(sections: Section[], href: string): Html | undefined {
  const { previous, next } = findNeighbours(sections, href);
  if (!previous && !next) return undefined;
  return html`<nav class="steps" aria-label="Previous and next">
${previous && html`<a rel="prev" href="${previous.href}"><span>Previous</span> ${previous.title}</a>`}
${next && html`<a rel="next" href="${next.href}"><span>Next</span> ${next.title}</a>`}
</nav>`;
}

/** The routes of the stylesheet and the script. */
export const layoutRoutes: Route[] = [
  route({
    method: 'GET',
    path: STYLESHEET_PATH,
    access: { kind: 'public' },
    summary: 'The stylesheet of the documentation',
    handle: () =>
      new Response(STYLESHEET, {
        headers: {
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
        },
      }),
  }),
  route({
    method: 'GET',
    path: SCRIPT_PATH,
    access: { kind: 'public' },
    summary: 'The script of the search in the documentation',
    handle: sendScript('dashboard/docs/search.ts'),
  }),
];
