import { ERROR_STATUS } from '../../../../contract/errors.ts';
import { html } from '../../screens/index.ts';
import { type DocsPage, docsPage } from '../layout.ts';
import type { Section } from '../navigation.ts';
import { type Group, type Operation, readDocument } from './document.ts';
import { methodBadge, operationArticle } from './operation.ts';
import styles from './page.css' with { type: 'text' };
import { pretty } from './sample.ts';

type Html = ReturnType<typeof html>;

/** The API reference that people read: one page, made from the OpenAPI document, without script. */
export function referencePage(document: Record<string, unknown>, sections: Section[]): Promise<DocsPage> {
  const { version, description, baseUrl, groups } = readDocument(document);
  const main = html`<p class="lede">${description}</p>
<dl class="facts">
<div><dt>Base URL</dt><dd><code>${baseUrl}</code></dd></div>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>For machines</dt><dd><a href="/api/openapi.json">OpenAPI 3.1 document</a></dd></div>
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
<p>Each operation says who may call it. There are three ways to say who you are:</p>
<dl class="ways">
<dt>Bearer token</dt>
<dd>For owners and their agents. Get one from ${tokenCall ? html`<a href="#${tokenCall.anchor}">${source}</a>` : source}
with the scopes you need, and send <code>Authorization: Bearer $TOKEN</code>.</dd>
<dt>Login session</dt>
<dd>For people. The cookie that logging in sets; from a browser it counts only at <code>${baseUrl}</code> itself.
In the examples, curl keeps it in <code>cookies.txt</code>.</dd>
<dt>Page session</dt>
<dd>For a published page's visitors. The page itself holds it and sends it as <code>X-Page-Session</code>; it is good for that page alone.</dd>
</dl>
</section>`;
}

const SAMPLE_ERROR = {
  error: 'name: is required.',
  code: 'BAD_REQUEST' satisfies keyof typeof ERROR_STATUS,
  details: [{ path: 'name', message: 'is required' }],
};

/** What a status asks of the caller, whichever code came with it. */
const ADVICE: Record<number, string> = {
  400: 'The request is not understood. Mend what the sentence names, then try again.',
  401: 'It is not known who you are. Get a new credential.',
  402: 'It has to be paid for first.',
  403: 'You are known, but may not do this.',
  404: 'It is not there, or not there for you.',
  405: 'Use one of the methods in the Allow header.',
  409: 'It clashes with what is there already. Look again, then decide.',
  413: 'Send less.',
  415: 'Send another Content-Type.',
  422: 'The request is understood, but what it carries does not work.',
  429: 'Wait as long as the Retry-After header says.',
  500: 'Our fault. Report it with the X-Request-Id header.',
  502: 'Something that we depend on answered wrongly. Try again later.',
  503: 'Try again in a moment.',
  504: 'Something that we depend on took too long. Try again later.',
  507: 'Room has run out. Delete something first.',
};

function errors(): Html {
  const byStatus = Map.groupBy(Object.entries(ERROR_STATUS), ([, status]) => status);
  const rows = [...byStatus].sort(([one], [other]) => one - other);
  return html`<section id="errors">
<h2>Errors</h2>
<p>Failures come as JSON. <code>error</code> is a sentence for people and may change; <code>code</code> is for programs and will not.
<code>details</code> is there when particular values are at fault, and names them.</p>
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
