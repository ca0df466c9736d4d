import { join } from 'node:path';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { createDocs, keepPage } from './docs/index.ts';
import { html, type Route, route, screen } from './http/index.ts';
import { openApiDocument, referencePage } from './reference/index.ts';

const DOCS_FOLDER = join(import.meta.dir, '../docs');

/** Routes about the service as a whole: its health, its description, its documentation. */
export function serviceRoutes(context: {
  baseUrl: string;
  routes: Route[];
  health(): Promise<Record<string, unknown>>;
}): Route[] {
  const { baseUrl, routes, health } = context;
  const document = openApiDocument(routes, { version: packageJson.version, baseUrl });
  const docs = createDocs({ folder: DOCS_FOLDER, baseUrl });
  const reference = keepPage(() => referencePage(document, docs.navigation()));

  return [
    route({
      method: 'GET',
      path: '/healthz',
      access: { kind: 'public' },
      summary: 'Whether the service is ready',
      response: z.object({ status: z.literal('ok') }).catchall(z.unknown()),
      handle: async () => ({ ...(await health()), version: packageJson.version }),
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: { kind: 'public' },
      summary: 'This description',
      handle: () => document,
    }),
    route({
      method: 'GET',
      path: '/docs/api',
      access: { kind: 'public' },
      summary: 'The API reference',
      handle: ({ request }) => reference(request),
    }),
    // After the reference, which has a name that a document could have.
    ...docs.routes,
  ];
}

/** What somebody sees who is not logged in. */
export function startScreen(baseUrl: string): Promise<Response> {
  const body = html`<section class="card wide">
<h1>Publish a page in a minute</h1>
<p>Send an HTML document, get a live page. This Quire is running at <code>${baseUrl}</code>.</p>
<p><a class="button" href="/register">Create an account</a> or <a href="/login">log in</a></p>
<h2>With three calls</h2>
<pre>TOKEN=$(curl -s ${baseUrl}/api/auth/register \\
  -H 'content-type: application/json' \\
  -d '{"username":"ada","email":"ada@example.com","password":"correct horse"}' |
  sed -n 's/.*"accessToken":"\\([^"]*\\)".*/\\1/p')

curl ${baseUrl}/api/pages -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"name":"Hello","html_content":"&lt;!doctype html&gt;&lt;h1&gt;Hello&lt;/h1&gt;"}'

curl ${baseUrl}/p/hello</pre>
<p><a href="/docs/api">API reference</a></p>
</section>`;
  return screen({ title: 'Publish a page', body });
}
