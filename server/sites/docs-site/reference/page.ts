import { ERROR_STATUS } from '../../../../contract/errors.ts';
import { html } from '../../screens/index.ts';
import { type DocsPage, docsPage } from '../layout.ts';
import type { Section } from '../navigation.ts';
import { type Group, type Operation, readDocument } from './document.ts';
import { methodBadge, operationArticle } from './operation.ts';
import styles from './page.css' with { type: 'text' };
import { pretty } from './sample.ts';

type Html = ReturnType<typeof html>;

/** The API reference for people: one page without scripts, made from the OpenAPI document. */
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
${groups.map((group) => groupSection(group, baseUrl))}`;
  return docsPage(
    {
      href: '/docs/api',
      title: 'API reference',
      main,
      contents: contents(groups, true),
      shortContents: contents(groups, false),
      styles,
      audience: 'For developers and agents',
    },
    sections,
  );
}

function contents(groups: Group[], withOperations: boolean): Html {
  return html`<li><a class="title" href="#credentials">Credentials</a></li>
<li><a class="title" href="#errors">Errors</a></li>
${groups.map(
  ({ anchor, title, operations }) => html`<li>
<a class="title" href="#${anchor}">${title}</a>${withOperations && operationLinks(operations)}
</li>
`,
)}`;
}

function groupSection({ anchor, title, operations }: Group, baseUrl: string): Html {
  return html`<section id="${anchor}" aria-labelledby="${anchor}-title">
<h2 id="${anchor}-title">${title}</h2>
<div class="in-group">${operationLinks(operations)}</div>
${operations.map((operation) => operationArticle(operation, baseUrl))}
</section>
`;
}

function operationLinks(operations: Operation[]): Html {
  return html`<ul class="links">
${operations.map(
  ({
    anchor,
    method,
    summary,
  }) => html`<li><a href="#${anchor}">${methodBadge(method)} <span>${summary}</span></a></li>
`,
)}</ul>`;
}

function authentication(baseUrl: string, groups: Group[]): Html {
  const tokenCall = groups
    .flatMap(({ operations }) => operations)
    .find(({ method, path }) => method === 'POST' && path === '/api/auth/token');
  const source = html`<code>POST /api/auth/token</code>`;
  return html`<section id="credentials">
<h2>Credentials</h2>
<p>Each operation says which credentials it needs. There are three types:</p>
<dl class="ways">
<dt>Bearer token</dt>
<dd>For owners and their agents. Get one from ${tokenCall ? html`<a href="#${tokenCall.anchor}">${source}</a>` : source}
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
