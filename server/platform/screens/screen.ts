import { html, raw } from 'hono/html';
import STYLES from './screen.css' with { type: 'text' };
import TOKENS from './tokens.css' with { type: 'text' };

export { html };

/** The styles of the service's own screens. The dashboard uses the same colours. */
export const SCREEN_STYLES = TOKENS + STYLES;

export type Html = ReturnType<typeof html>;

/** Inlined, so that the browser can paint without another request. The content security policy allows it by hash. */
const STYLE = raw(`<style>${SCREEN_STYLES}</style>`);
const STYLE_HASH = inlineHash(SCREEN_STYLES);

/** The folds of a quire, seen from above. */
const FOLDS = 'M20 4h-9.5a8 8 0 0 0 0 16H20M20 8h-9.5a4 4 0 0 0 0 8H20';
/** The tab icon, inlined so that it needs no request. */
export const SCREEN_ICON = raw(
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#a63d1e"/><path d="${FOLDS}" transform="translate(3.2 3) scale(.75)" fill="none" stroke="#fff" stroke-width="2.2"/></svg>`,
  )}">`,
);

/** The service's name and logo, linked to its start page. */
export function brand(baseUrl = ''): Html {
  return html`<a class="brand" href="${baseUrl}/"><svg class="mark" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="${FOLDS}"/></svg>Quire</a>`;
}

interface ScreenOptions {
  status?: number;
  /** The origins that a form may lead to, none by default. Browsers also check redirects after a form. */
  formTargets?: string;
  /** The service's base URL, for screens that other hosts show too. */
  baseUrl?: string;
  headers?: Record<string, string>;
}

/** A complete page in the service's style: no scripts, not framable, and isolated from windows that opened it. */
export async function screen(
  content: { title: string; body: Html },
  { status = 200, formTargets = "'none'", baseUrl = '', headers = {} }: ScreenOptions = {},
): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${content.title} · Quire</title>
${SCREEN_ICON}
${STYLE}
<link rel="alternate" type="text/plain" title="For agents" href="${baseUrl}/llms.txt">
</head>
<body class="screen">
<header>${brand(baseUrl)}</header>
<main>${content.body}</main>
<footer><span>${baseUrl ? `Quire on ${new URL(baseUrl).host}` : 'Quire'}</span><a href="${baseUrl}/docs">Docs</a></footer>
</body>
</html>
`;
  return new Response(String(page), {
    status,
    headers: {
      ...screenHeaders({ formTargets, inlineStyleHash: STYLE_HASH }),
      'cache-control': 'no-store',
      ...headers,
    },
  });
}

/** The hash that allows an inline text in a content security policy. */
export function inlineHash(text: string): string {
  return `sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`;
}

/** Headers of every page of the service: no scripts, and only our own styles and pictures. */
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

/** Shows who is logged in, with a link to switch accounts; `here` is where they return to. */
export function askedAs(username: string, here: string): Html {
  return html`<p class="foot">You are logged in as <strong>${username}</strong>. <a href="/logout?next=${encodeURIComponent(here)}">Not you?</a></p>`;
}
