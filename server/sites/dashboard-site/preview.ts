import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from 'hono/html';
import { z } from 'zod';
import { STORAGE_MODES } from '../../../contract/rules/storage-modes.ts';
import { type Route, route } from '../../platform/http/index.ts';
import { html, inlineHash } from '../screens/index.ts';

const read = (name: string) => readFileSync(join(import.meta.dir, name), 'utf8');
/** In one function, so that the previewed document does not see the names. */
const SCRIPT = `(() => {\n${read('editing.client.js')}\n${read('preview.client.js')}\n})()`;
const GROWING_SCRIPT = `\n${read('growing.client.js')}`;

/** Shows an unsaved page. The query names the page, so that the SDK knows which page it is on. */
const PREVIEW_PATH = '/preview';

/**
 * Owner HTML is untrusted even before it is published: it may be a fork, or come from an agent. Without
 * `allow-same-origin` the document has no origin: no cookies, no access to the parent window, and no login.
 */
const POLICY = "sandbox allow-scripts allow-forms allow-modals allow-popups; frame-ancestors 'self'";

/** A document that is still being written runs nothing: half a script fails, and a whole one would run again later. */
const GROWING_POLICY = `${POLICY}; script-src '${inlineHash(GROWING_SCRIPT)}'`;

const PreviewQuery = z.object({
  page: z.string().regex(/^[1-9]\d{0,9}$/, 'must be the id of a page'),
  slug: z.string().regex(/^[a-z0-9-]{1,200}$/, 'must be a slug'),
  mode: z.enum(STORAGE_MODES, 'must be a storage mode'),
});

export interface PreviewContext {
  baseUrl: string;
  /** The path of the SDK for pages in this mode. */
  sdkPath(mode: z.infer<typeof PreviewQuery>['mode']): string;
}

/** An empty document without an origin that the dashboard sends an unsaved page into. */
export function previewRoute({ baseUrl, sdkPath }: PreviewContext): Route {
  return route({
    method: 'GET',
    path: PREVIEW_PATH,
    access: { kind: 'screen' },
    summary: 'The isolated frame in which the dashboard shows an unsaved page',
    query: PreviewQuery,
    async handle({ query }) {
      const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Preview</title>
<link rel="preload" as="script" href="${sdkPath(query.mode)}">
<script data-base="${baseUrl}" data-sdk="${sdkPath(query.mode)}" data-page-id="${query.page}" data-slug="${query.slug}">
${raw(SCRIPT)}
</script>
</head>
<body></body>
</html>
`;
      return respond(String(page), POLICY);
    },
  });
}

/** An empty document without an origin that the dashboard writes a page into while a model is writing it. */
export function growingRoute({ baseUrl }: Pick<PreviewContext, 'baseUrl'>): Route {
  return route({
    method: 'GET',
    path: '/preview/growing',
    access: { kind: 'screen' },
    summary: 'The isolated frame in which the dashboard shows a page that is being written',
    async handle() {
      const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Preview</title>
<script data-base="${baseUrl}">${raw(GROWING_SCRIPT)}</script>
</head>
<body></body>
</html>
`;
      return respond(String(page), GROWING_POLICY);
    },
  });
}

function respond(page: string, policy: string): Response {
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Only the dashboard uses this document, and loads it again with every change of the text.
      'cache-control': 'private, max-age=600',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}
