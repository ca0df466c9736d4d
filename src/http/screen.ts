import { html, raw } from 'hono/html';
import { hashSecret } from '../lib/secrets.ts';
import type { AppError } from './errors.ts';
import { type Route, route } from './route.ts';
import STYLES from './screen.css' with { type: 'text' };
import TOKENS from './tokens.css' with { type: 'text' };

export { html };

/** The look of the service's own screens; its colours are those of the dashboard too. */
export const SCREEN_STYLES = TOKENS + STYLES;

type Html = ReturnType<typeof html>;

/** The icon in the browser's tab, within the page so that it needs no request. */
export const SCREEN_ICON = raw(
  `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%23a63d1e'/%3E%3Ctext x='8' y='12' font-family='Georgia,serif' font-size='12' font-weight='600' fill='white' text-anchor='middle'%3EQ%3C/text%3E%3C/svg%3E">`,
);

const STYLESHEET_PATH = `/assets/screen-${hashSecret(SCREEN_STYLES).slice(0, 12)}.css`;

/**
 * A whole page in the service's own look: no script, not framable, and out of reach of windows that opened it.
 * `formTargets` are the origins that a form on it may lead to; browsers check redirects after a form too.
 */
export async function screen(
  content: { title: string; body: Html },
  options: { status?: number; formTargets?: string; home?: string } = {},
): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${content.title} · Quire</title>
${SCREEN_ICON}
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<header><a class="brand" href="${options.home ?? '/'}">Quire</a></header>
<main>${content.body}</main>
</body>
</html>
`;
  return new Response(String(page), {
    status: options.status ?? 200,
    headers: { ...screenHeaders(options), 'cache-control': 'no-store' },
  });
}

/** What is said with every page of the service: no script, and styles and pictures of its own alone. */
export function screenHeaders(
  allowed: { formTargets?: string; inlineStyleHash?: string } = {},
): Record<string, string> {
  const { formTargets = "'none'", inlineStyleHash } = allowed;
  const policy = [
    "default-src 'none'",
    `style-src 'self'${inlineStyleHash ? ` '${inlineStyleHash}'` : ''}`,
    "img-src 'self' data:",
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

const ERROR_TITLES: Record<number, string> = {
  404: 'Nothing here',
  403: 'Not allowed',
  429: 'Too many tries',
  500: 'Something went wrong',
  503: 'Back in a moment',
};

/** A failure, as a person sees it; on any host, its links lead to the service. */
export function errorScreen(failure: AppError, baseUrl: string): Promise<Response> {
  const title = ERROR_TITLES[failure.status] ?? 'That did not work';
  const body = html`<section class="card">
<p class="status">${failure.status}</p>
<h1>${title}</h1>
<p>${failure.message}</p>
<p><a href="${baseUrl}/">Go to the start page</a></p>
</section>`;
  return screen({ title, body }, { status: failure.status, home: `${baseUrl}/` });
}

/** What the screens themselves need served. */
export const screenRoutes: Route[] = [
  route({
    method: 'GET',
    path: STYLESHEET_PATH,
    access: { kind: 'public' },
    summary: 'The stylesheet of the screens',
    handle: () =>
      new Response(SCREEN_STYLES, {
        headers: {
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
        },
      }),
  }),
];
