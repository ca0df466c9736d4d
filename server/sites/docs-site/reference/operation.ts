import { html } from '../../screens/index.ts';
import type { Accepts, Operation, Parameter } from './document.ts';
import {
  describeType,
  type Field,
  findDescription,
  listNotes,
  type Row,
  type Schema,
  toRows,
} from './json-schema.ts';
import { makeCurl, makeSample, pretty } from './sample.ts';

type Html = ReturnType<typeof html>;

export function operationArticle(operation: Operation, baseUrl: string): Html {
  const { anchor, method, path, summary, parameters, body, answer } = operation;
  return html`<article class="operation" id="${anchor}">
<h2><a href="#${anchor}">${summary}</a></h2>
<p class="call">${methodBadge(method)} <code>${pathWithMarks(path)}</code></p>
<p>${accessText(operation.accepts)}</p>
<figure><figcaption>Example <span class="aside">click to select</span></figcaption>
<pre><code>${makeCurl(operation, baseUrl)}</code></pre></figure>
${parameterTable('Path parameters', parameters, 'path')}
${parameterTable('Query parameters', parameters, 'query')}
${body && bodySection(body)}
${answerSection(answer)}
${failuresLine(operation.failures)}
</article>
`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function pathWithMarks(path: string): Html[] {
  return path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<b>${part}</b>` : html`${part}`));
}

function accessText({ anyone, bearer, pageSession, login }: Accepts): Html {
  const ways = [
    bearer && html`a bearer token${bearer.scope && html` with the scope <code>${bearer.scope}</code>`}`,
    pageSession && html`a page session`,
    login && html`a login session`,
  ].filter((way) => way !== undefined && way !== false);
  if (ways.length === 0) return html`Needs no credentials.`;
  const listed = ways.map(
    (way, index) => html`${index > 0 && (index === ways.length - 1 ? ' or ' : ', ')}${way}`,
  );
  if (anyone) return html`Needs no credentials, but accepts ${listed}.`;
  return html`Needs ${listed}.`;
}

function parameterTable(title: string, parameters: Parameter[], place: Parameter['in']): Html | undefined {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, schema, required }) => ({ prefix: '', name, schema, isRequired: required }));
  if (fields.length === 0) return undefined;
  return html`<h3>${title}</h3>
${fieldTable(fields, {}, 'request')}`;
}

function bodySection({ type, schema, required }: NonNullable<Operation['body']>): Html {
  const kind = type === 'application/json' ? html`JSON ${describeType(schema, schema)}` : type;
  return html`<h3>Body <span class="aside">${kind}${!required && ', optional'}</span></h3>
${fieldTable(toRows(schema), schema, 'request')}`;
}

function answerSection({ status, type, schema }: Operation['answer']): Html {
  const heading = html`Response <span class="code">${status}</span>`;
  if (!schema) return html`<h3>${heading} <span class="aside">${status === '204' && 'no body'}</span></h3>`;
  if (type !== 'application/json') return html`<h3>${heading} <span class="aside">${type}</span></h3>`;
  return html`<h3>${heading} <span class="aside">JSON ${describeType(schema, schema)}</span></h3>
${fieldTable(toRows(schema), schema, 'answer')}
<details><summary>Example response</summary><pre><code>${pretty(makeSample(schema, 'all'))}</code></pre></details>`;
}

function failuresLine(statuses: string[]): Html | undefined {
  if (statuses.length === 0) return undefined;
  const listed = statuses.map(
    (status, index) => html`${index > 0 && ', '}<span class="code failure">${status}</span>`,
  );
  return html`<p class="failures">Fails with ${listed}. See <a href="/docs/api#errors">Errors</a>.</p>`;
}

type Direction = 'request' | 'answer';

function fieldTable(rows: Row[], root: Schema, direction: Direction): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>
${rows.map((row) => ('alternative' in row ? alternativeRow(row.alternative) : fieldRow(row, root, direction)))}
</tbody>
</table>`;
}

function alternativeRow(name: string): Html {
  return html`<tr class="alternative"><th scope="rowgroup" colspan="3">${name}</th></tr>
`;
}

function fieldRow({ prefix, name, schema, isRequired }: Field, root: Schema, direction: Direction): Html {
  const description = findDescription(schema, root);
  const notes = listNotes(schema, root);
  return html`<tr>
<th scope="row"><code class="name"><span class="prefix">${prefix}</span><wbr>${name}</code></th>
<td>${describeType(schema, root)} ${presence(isRequired, direction)}</td>
<td>${description && html`<p>${description}</p>`}${notes.length > 0 && html`<p>${notes.map((note, index) => html`${index > 0 && '; '}${note}`)}</p>`}</td>
</tr>
`;
}

function presence(isRequired: boolean, direction: Direction): Html | undefined {
  if (direction === 'answer')
    return isRequired ? undefined : html`<span class="presence">can be absent</span>`;
  return isRequired
    ? html`<span class="presence required">required</span>`
    : html`<span class="presence">optional</span>`;
}
