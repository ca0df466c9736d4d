import { raw } from 'hono/html';
import { randomSecret } from '../../lib/secrets.ts';
import { language } from '../../platform/http/index.ts';
import { look } from '../../platform/service-settings/index.ts';
import { brand, html, lookStyles, say, screenIcon, t } from '../screens/index.ts';
import type { Bundle } from './build.ts';

/** The document that the dashboard's script fills. Until then it shows the same frame. */
export async function shell(
  bundle: Bundle,
  { baseUrl, pagesHost }: { baseUrl: string; pagesHost: string | undefined },
): Promise<Response> {
  const nonce = randomSecret();
  const { name, logo } = look();
  const page = await html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="style-nonce" content="${nonce}">
<meta name="instance" content="${name}">
${logo && html`<meta name="instance-logo" content="${logo}">`}
<title>${name}</title>
${screenIcon()}
<link rel="stylesheet" href="/assets/dashboard/${bundle.stylesheet}">
<style nonce="${nonce}">${raw(lookStyles())}</style>
<link rel="alternate" type="text/plain" title="For agents" href="/llms.txt">
${bundle.errorTexts && html`<meta name="error-texts" content="/assets/dashboard/${bundle.errorTexts}">`}
<script type="module" src="/assets/dashboard/${bundle.script}"></script>
</head>
<body>
<div id="app">
<nav class="side" aria-label="${t('Areas')}">${brand()}</nav>
<main><div class="skeleton" role="status" aria-label="${t('Loading')}"><span></span><span></span><span></span></div>
<noscript><p class="notice warn">${say`The dashboard needs JavaScript. Everything it does can also be done <a href="/docs/api">by the API</a>.`}</p></noscript></main>
</div>
</body>
</html>
`;
  return new Response(String(page), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-language': language(),
      'content-security-policy': makePolicy(nonce, baseUrl, pagesHost),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  });
}

function makePolicy(nonce: string, baseUrl: string, pagesHost: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // The browser may add style attributes when someone edits text in the editor. They are harmless.
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    // Sounds and videos among the files of a page.
    'media-src blob:',
    // Previews of drafts and versions, on the hosts of pages.
    `frame-src 'self'${pagesHost ? ` ${new URL(baseUrl).protocol}//*.${pagesHost}` : ''}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
