import { html } from '../../screens/index.ts';
import { docsPage, MAX_QUERY, SEARCH_PATH } from '../layout.ts';
import type { Section } from '../navigation.ts';
import { DOCS_PATH } from '../shelf.ts';
import type { Found } from './find.ts';

/** The results of a search, for those who press Enter and for browsers without scripts. */
export function resultsPage(query: string, results: Found[], sections: Section[]) {
  const asked = query.slice(0, MAX_QUERY);
  return docsPage(
    {
      href: SEARCH_PATH,
      title: 'Search',
      query: asked,
      main: html`<div class="results">${show(asked, results)}</div>`,
    },
    sections,
  );
}

function show(query: string, results: Found[]) {
  if (query.trim() === '')
    return html`<p class="lede">Type what you look for, such as <a href="${SEARCH_PATH}?q=domain">domain</a>,
<a href="${SEARCH_PATH}?q=backup">backup</a> or <a href="${SEARCH_PATH}?q=QUIRE_BASE_URL">QUIRE_BASE_URL</a>. The
documentation is in English.</p>`;
  if (results.length === 0)
    return html`<p class="lede">Nothing was found for “${query}”. Try fewer or other words, or look through
<a href="${DOCS_PATH}">all pages</a>.</p>`;
  return html`<p class="lede">${results.length === 1 ? 'One result' : `${results.length} results`} for “${query}”.</p>
<ol>
${results.map(
  ({ href, title, heading, excerpt }) => html`<li>
<a href="${href}">${heading || title}</a>${heading && html` <small>${title}</small>`}
<p>${excerpt.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text))}</p>
</li>
`,
)}</ol>`;
}
