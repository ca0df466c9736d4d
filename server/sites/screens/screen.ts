import { html, raw } from 'hono/html';
import { language } from '../../platform/http/index.ts';
import { type Look, look } from '../../platform/service-settings/index.ts';
import STYLES from './screen.css' with { type: 'text' };
import { say, t } from './texts/texts.ts';
import TOKENS from './tokens.css' with { type: 'text' };

export { html };

/** The styles of the service's own screens. The dashboard uses the same colours. */
export const SCREEN_STYLES = TOKENS + STYLES;

export type Html = ReturnType<typeof html>;

/** The colours of this server, as a stylesheet that follows ours. */
export function lookStyles({ accent } = look()): string {
  return `:root{--accent:light-dark(${accent.light},${accent.dark});--on-accent:light-dark(${accent.onLight},${accent.onDark})}`;
}

/** Styles are inlined, so that the browser paints without another request. The policy allows them by hash. */
const inlined = new Map<string, { of: Look; style: Html; hash: string }>();
function inlineStyles(own: string): { style: Html; hash: string } {
  const now = look();
  const known = inlined.get(own);
  if (known?.of === now) return known;
  const text = SCREEN_STYLES + own + lookStyles(now);
  const made = { of: now, style: raw(`<style>${text}</style>`), hash: inlineHash(text) };
  inlined.set(own, made);
  return made;
}

/** The folds of a quire, seen from above. */
const FOLDS = 'M20 4h-9.5a8 8 0 0 0 0 16H20M20 8h-9.5a4 4 0 0 0 0 8H20';
/** Our icon, in the colour of this server. */
export function drawIcon(): string {
  const { accent } = look();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="${accent.light}"/><path d="${FOLDS}" transform="translate(3.2 3) scale(.75)" fill="none" stroke="#fff" stroke-width="2.2"/></svg>`;
}

/** The tab icon: the server's logo, or ours, inlined so that it needs no request. */
export function screenIcon(baseUrl = ''): Html {
  const { logo } = look();
  if (logo !== undefined) return html`<link rel="icon" href="${baseUrl}${logo}">`;
  return raw(`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawIcon())}">`);
}

/** The service's name and logo, linked to its start page. */
export function brand(baseUrl = ''): Html {
  const { name, logo } = look();
  const mark =
    logo === undefined
      ? html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="${FOLDS}"/></svg>`
      : html`<img class="mark" src="${baseUrl}${logo}" alt="" width="24" height="24">`;
  return html`<a class="brand" href="${baseUrl}/">${mark}${name}</a>`;
}

interface ScreenOptions {
  status?: number;
  /** The origins that a form may lead to, none by default. Browsers also check redirects after a form. */
  formTargets?: string;
  /** The service's base URL, for screens that other hosts show too. */
  baseUrl?: string;
  /** The path of the screen's script, if it has one. */
  script?: string | undefined;
  headers?: Record<string, string>;
  /** More CSS than all screens have. It must be a constant. */
  styles?: string;
  /** What else belongs in the head, such as what link previews show. */
  head?: Html;
  /** Links and buttons beside the name of the service. */
  actions?: Html;
  /** What the screen shows in frames; nothing by default. */
  frames?: string;
}

/**
 * A complete page in the service's style: no scripts except a named one, not framable, and isolated from windows that
 * opened it.
 */
export async function screen(
  content: { title: string; body: Html; description?: string | undefined },
  options: ScreenOptions = {},
): Promise<Response> {
  const {
    status = 200,
    formTargets = "'none'",
    baseUrl = '',
    script,
    headers = {},
    styles = '',
    head,
    actions,
    frames,
  } = options;
  const { name } = look();
  const { style, hash } = inlineStyles(styles);
  const page = await html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${content.title} · ${name}</title>
${content.description && html`<meta name="description" content="${content.description}">`}
${screenIcon(baseUrl)}
${style}
<link rel="alternate" type="text/plain" title="For agents" href="${baseUrl}/llms.txt">
${script ? html`<script src="${script}" defer></script>` : ''}${head ?? ''}
</head>
<body class="screen">
<header>${brand(baseUrl)}${actions ?? ''}</header>
<main>${content.body}</main>
<footer><span>${baseUrl ? t('{name} on {host}', { name, host: new URL(baseUrl).host }) : name}</span><a href="${baseUrl}/docs">${t('Docs')}</a><a href="${baseUrl}/report">${t('Report a page')}</a></footer>
</body>
</html>
`;
  return new Response(String(page), {
    status,
    headers: {
      ...screenHeaders({
        ...{ formTargets, inlineStyleHash: hash, script: script && baseUrl + script, baseUrl },
        ...(frames !== undefined && { frames }),
        isForEngines: content.description !== undefined,
      }),
      'cache-control': 'no-store',
      'content-language': language(),
      ...headers,
    },
  });
}

/** The hash that allows an inline text in a content security policy. */
export function inlineHash(text: string): string {
  return `sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`;
}

/** Headers of every page of the service: at most one script, and only our own styles and pictures. */
export function screenHeaders(
  allowed: {
    formTargets?: string;
    inlineStyleHash?: string;
    script?: string | undefined;
    /** Whose logo the screen shows, if another host shows the screen. */
    baseUrl?: string;
    /** What the screen shows in frames; nothing by default. */
    frames?: string;
    /** True for a screen that search engines shall find: they fetch robots.txt on its behalf. */
    isForEngines?: boolean;
  } = {},
): Record<string, string> {
  const { formTargets = "'none'", inlineStyleHash, script, baseUrl = '', frames, isForEngines } = allowed;
  const policy = [
    "default-src 'none'",
    ...(script ? [`script-src ${script}`] : []),
    ...(script || isForEngines ? ["connect-src 'self'"] : []),
    `style-src 'self'${inlineStyleHash ? ` '${inlineStyleHash}'` : ''}`,
    `img-src 'self' data:${baseUrl && ` ${baseUrl}`}`,
    ...(frames ? [`frame-src ${frames}`] : []),
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
  return html`<p class="foot">${say`You are logged in as <strong>${username}</strong>. <a href="/logout?next=${encodeURIComponent(here)}">Not you?</a>`}</p>`;
}
