import { hashSecret } from '../../lib/secrets.ts';
import { isKnown } from '../../platform/http/index.ts';
import TEXT from './llms.md' with { type: 'text' };

/** How to get an account, depending on whether registration is open. */
const SECTIONS = {
  open: /^<!-- closed -->[\s\S]*?<!-- end -->\n/gm,
  closed: /^<!-- open -->[\s\S]*?<!-- end -->\n/gm,
};
const MARKS = /^<!-- \w+ -->\n/gm;

/** The text for agents, with the URLs of this service. */
export function llmsText(options: { baseUrl: string; registration: 'open' | 'closed' }): {
  text: string;
  respond(request: Request): Response;
} {
  const { baseUrl, registration } = options;
  const text = TEXT.replace(SECTIONS[registration], '')
    .replace(MARKS, '')
    .replaceAll('{{BASE_URL}}', baseUrl);
  const etag = `"${hashSecret(text).slice(0, 22)}"`;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
    etag,
  };
  return {
    text,
    respond(request) {
      return isKnown(request, etag)
        ? new Response(null, { status: 304, headers })
        : new Response(text, { headers });
    },
  };
}
