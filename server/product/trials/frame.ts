import { raw } from 'hono/html';
import { language } from '../../platform/http/index.ts';
import { html, inlineHash, SCREEN_STYLES, t } from '../../sites/screens/index.ts';
import type { Choice } from './choose.ts';

const STYLES = `${SCREEN_STYLES}
body{display:grid;align-content:start;min-height:100dvh}
img{display:block;width:100%;height:auto}
p{margin:0;padding:1rem clamp(1rem,4vw,2rem);text-wrap:pretty}`;
const HASH = inlineHash(STYLES);

/** The document in the frame if the page cannot be tried right now: what it looks like, and that it can be published. */
export async function pictureDocument({ template, name }: Choice, baseUrl: string): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="${language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
${raw(`<style>${STYLES}</style>`)}
</head>
<body>
<p>${t('This is a picture of it. Publish it, and it is live with your words in it.')}</p>
${template.picture ? html`<img src="${template.picture}" width="800" height="500" alt="${template.title}">` : ''}
</body>
</html>
`;
  return new Response(String(page), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; img-src 'self'; style-src '${HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors ${baseUrl}`,
      'cache-control': 'no-store',
      'content-language': language(),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    },
  });
}

/** Whether our own screen loads its frame. Over plain HTTP, browsers do not say what asks, so the referrer decides. */
export function isFramed({ headers }: Request, baseUrl: string): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination !== null)
    return destination === 'iframe' && headers.get('sec-fetch-site') === 'same-origin';
  return headers.get('referer')?.startsWith(`${baseUrl}/`) ?? false;
}

/** Lets only our own screen frame the document of a trial, and keeps it out of caches and search engines. */
export function forFrame(response: Response, baseUrl: string): Response {
  const policy = response.headers.get('content-security-policy');
  response.headers.set('content-security-policy', `${policy}; frame-ancestors ${baseUrl}`);
  response.headers.set('referrer-policy', 'no-referrer');
  response.headers.set('x-robots-tag', 'noindex');
  response.headers.delete('link');
  return response;
}
