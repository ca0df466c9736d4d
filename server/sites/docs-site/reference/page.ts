import { ERROR_STATUS } from '../../../../contract/errors.ts';
import { html } from '../../screens/index.ts';
import { type DocsPage, docsPage } from '../layout.ts';
import type { Section } from '../navigation.ts';
import { DOCS_PATH } from '../shelf.ts';
import { type Group, readDocument } from './document.ts';
import { methodBadge, operationArticle } from './operation.ts';
import styles from './page.css' with { type: 'text' };
import { pretty } from './sample.ts';

type Html = ReturnType<typeof html>;

const HREF = `${DOCS_PATH}/api`;

/** The API reference for people, without scripts, made from the OpenAPI document: a list, and a page for each group. */
export function referencePage(document: Record<string, unknown>, sections: Section[]): Promise<DocsPage> {
  const { version, description, baseUrl, groups } = readDocument(document);
  const main = html`<p class="lede">${description}</p>
<dl class="facts">
<div><dt>Base URL</dt><dd><code>${baseUrl}</code></dd></div>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>For programs</dt><dd><a href="/api/openapi.json">OpenAPI 3.1 document</a></dd></div>
</dl>
${authentication(baseUrl, groups)}
${errors()}
${groups.map(groupList)}`;
  return docsPage({ ...PAGE, title: 'API reference', main, contents: contents(groups) }, sections);
}

type DescribedGroup = Group & { baseUrl: string };

/** The groups that have a page of their own. */
export function listGroups(document: Record<string, unknown>): DescribedGroup[] {
  const { baseUrl, groups } = readDocument(document);
  return groups.map((group) => ({ ...group, baseUrl }));
}

/** One group of the reference, with all that there is to know about its operations. */
export function groupPage(group: DescribedGroup, sections: Section[]): Promise<DocsPage> {
  const { title, description, operations, baseUrl } = group;
  const main = html`<p class="lede">${description} <a href="${HREF}">All operations</a> ·
<a href="${HREF}#credentials">Credentials</a> · <a href="${HREF}#errors">Errors</a></p>
${operations.map((operation) => operationArticle(operation, baseUrl))}`;
  return docsPage({ ...PAGE, title, main, contents: operationLinks(group, '') }, sections);
}

const PAGE = { href: HREF, styles, audience: 'For developers and agents' };

function contents(groups: Group[]): Html {
  return html`<li><a class="title" href="#credentials">Credentials</a></li>
<li><a class="title" href="#errors">Errors</a></li>
${groups.map(
  ({ name, title }) => html`<li><a class="title" href="#group-${name}">${title}</a></li>
`,
)}`;
}

/** The ids are those of the operations on the page of their group. */
function groupList(group: Group): Html {
  const { name, title, description } = group;
  const href = `${HREF}/${name}`;
  return html`<section id="group-${name}">
<h2><a href="${href}">${title}</a></h2>
<p>${description}</p>
<ul class="links">
${operationLinks(group, href)}</ul>
</section>
`;
}

/** `href` is the address of the page with the operations; empty on that page itself. */
function operationLinks({ operations }: Group, href: string): Html {
  return html`${operations.map(
    ({ anchor, method, summary }) =>
      html`<li${href && html` id="${anchor}"`}><a href="${href}#${anchor}">${methodBadge(method)} <span>${summary}</span></a></li>
`,
  )}`;
}

function authentication(baseUrl: string, groups: Group[]): Html {
  const tokenCall = groups
    .flatMap(({ name, operations }) => operations.map((operation) => ({ name, ...operation })))
    .find(({ method, path }) => method === 'POST' && path === '/api/auth/token');
  const source = html`<code>POST /api/auth/token</code>`;
  return html`<section id="credentials">
<h2>Credentials</h2>
<p>Each operation says which credentials it needs. There are three types:</p>
<dl class="ways">
<dt>Bearer token</dt>
<dd>For owners and their agents. Get one from ${tokenCall ? html`<a href="${HREF}/${tokenCall.name}#${tokenCall.anchor}">${source}</a>` : source}
with the scopes you need, and send <code>Authorization: Bearer $TOKEN</code>.</dd>
<dt>Login session</dt>
<dd>For people. The cookie from logging in. Browsers can use it only at <code>${baseUrl}</code> itself.
In the examples, curl stores it in <code>cookies.txt</code>.</dd>
<dt>Page session</dt>
<dd>For visitors of a published page. The page's SDK sends it as <code>X-Page-Session</code>. It is valid for that page only.</dd>
</dl>
</section>`;
}

const SAMPLE_ERROR = {
  error: 'name: is required.',
  code: 'BAD_REQUEST' satisfies keyof typeof ERROR_STATUS,
  details: [{ path: 'name', message: 'is required' }],
};

/** What the caller can do about a status. */
const ADVICE: Record<number, string> = {
  400: 'The request is invalid. Fix the problem that the message describes, and send it again.',
  401: 'The credentials are missing or invalid. Get new ones.',
  402: 'The visitor has to give consent or needs more credits.',
  403: 'You do not have permission, or a quota is used up.',
  404: 'It does not exist, or you cannot see it.',
  405: 'Use one of the methods in the Allow header.',
  409: 'It conflicts with the current state. Read that again, then decide.',
  413: 'Send a smaller body.',
  415: 'Use another Content-Type.',
  422: 'The code does not load, or the record does not match its schema.',
  429: 'Wait for the number of seconds in the Retry-After header.',
  500: 'A bug in Quire. Report it with the X-Request-Id header.',
  502: 'A function or a provider failed. Try again later.',
  503: 'Try again later. With OUTCOME_UNKNOWN, first check whether the write happened.',
  504: 'A function or a provider took too long. Try again later.',
  507: 'The disk of the server is full. Tell the operator.',
};

function errors(): Html {
  const byStatus = Map.groupBy(Object.entries(ERROR_STATUS), ([, status]) => status);
  const rows = [...byStatus].sort(([one], [other]) => one - other);
  return html`<section id="errors">
<h2>Errors</h2>
<p>Errors are JSON. <code>error</code> is for people, and its text can change. <code>code</code> is for programs and does not change.
If particular values are invalid, <code>details</code> lists them.</p>
<pre><code>${pretty(SAMPLE_ERROR)}</code></pre>
<table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What to do</th></tr></thead>
<tbody>
${rows.map(
  ([status, entries]) => html`<tr><th scope="row"><span class="code failure">${status}</span></th>
<td><p>${entries.map(([code]) => html`<code>${code}</code> `)}</p></td>
<td>${ADVICE[status]}</td></tr>
`,
)}</tbody>
</table>
</section>`;
}
