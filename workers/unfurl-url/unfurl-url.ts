import { decodeHTMLAttribute as decode } from 'entities/decode';
import { EGRESS_HEADERS } from '../protocol.ts';

/**
 * `unfurl-url`: returns the preview of a link. It runs in a cell like any other function, and can connect only to what
 * the egress allows.
 */

const MAX_REDIRECTS = 5;
const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

class UnfurlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      const { response, url } = await load(await readUrl(request));
      return Response.json({ success: true, data: await extract(response, url) });
    } catch (error) {
      const refusal =
        error instanceof UnfurlError ? error : new UnfurlError(502, 'The address could not be reached.');
      return Response.json({ success: false, error: refusal.message }, { status: refusal.status });
    }
  },
};

async function readUrl(request: Request): Promise<URL> {
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    throw new UnfurlError(400, 'Send JSON: { "url": "https://…" }.');
  }
  const text = (body as { url?: unknown } | null)?.url;
  if (typeof text !== 'string' || text === '') throw new UnfurlError(400, 'url is required.');
  if (!URL.canParse(text)) throw new UnfurlError(400, 'url is not an address.');
  const url = new URL(text);
  url.username = '';
  url.password = '';
  assertWeb(url, 400);
  return url;
}

function assertWeb(url: URL, status: number): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UnfurlError(status, 'Only http and https addresses can be unfurled.');
}

/** Loads a URL. Follows redirects itself, to count them and to check each URL. */
async function load(start: URL): Promise<{ response: Response; url: URL }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: 'text/html,application/xhtml+xml', 'user-agent': 'Quire unfurl-url' },
    }).catch(() => {
      throw new UnfurlError(
        502,
        signal.aborted ? 'The address took longer than 10 seconds.' : 'The address could not be reached.',
      );
    });
    if (response.headers.has(EGRESS_HEADERS.neverSent))
      throw new UnfurlError(502, 'The address could not be reached.');
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || !location) return { response, url };
    if (!URL.canParse(location, url.href))
      throw new UnfurlError(502, 'The address redirects to an invalid address.');
    url = new URL(location, url);
    assertWeb(url, 502);
  }
  throw new UnfurlError(502, `The address redirects more than ${MAX_REDIRECTS} times.`);
}

async function extract(response: Response, url: URL) {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) throw new UnfurlError(502, `The address answered with status ${response.status}.`);
  if (!/^(text\/html|application\/xhtml\+xml)/i.test(type.trim()))
    throw new UnfurlError(502, 'The address is not an HTML page.');
  const found = await scan(response);
  const base = toAddress(found.base, url) ?? url.href;
  const absolute = (address: string | undefined) => toAddress(address, base);
  const meta = (name: string) => found.meta.get(name);
  return {
    url: absolute(meta('og:url')) ?? url.href,
    title:
      meta('og:title') ?? meta('twitter:title') ?? (decode(found.title).replace(/\s+/g, ' ').trim() || null),
    description: meta('og:description') ?? meta('description') ?? null,
    image: absolute(meta('og:image') ?? meta('twitter:image')),
    siteName: meta('og:site_name') ?? url.hostname,
    type: meta('og:type') ?? null,
    favicon: absolute(found.icon) ?? toAddress('/favicon.ico', url),
  };
}

/** Resolves a URL to an absolute web address. Null if it is not one. */
function toAddress(address: string | undefined, base: URL | string): string | null {
  if (!address || !URL.canParse(address, String(base))) return null;
  const { protocol, href } = new URL(address, base);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

interface PageMeta {
  meta: Map<string, string>;
  title: string;
  icon: string | undefined;
  /** The base of relative addresses, if the document names one. */
  base: string | undefined;
}

/** Reads the document as it streams in, up to the limit. */
async function scan(response: Response): Promise<PageMeta> {
  const found: PageMeta = { meta: new Map(), title: '', icon: undefined, base: undefined };
  let hasTitle = false;
  let drawings = 0;
  const rewriter = new HTMLRewriter()
    .on('meta', {
      element(element) {
        const name = (element.getAttribute('property') ?? element.getAttribute('name') ?? '')
          .trim()
          .toLowerCase();
        const content = decode(element.getAttribute('content') ?? '').trim();
        if (name && content && !found.meta.has(name)) found.meta.set(name, content);
      },
    })
    .on('link[rel~="icon" i]', {
      element(element) {
        found.icon ??= decode(element.getAttribute('href') ?? '') || undefined;
      },
    })
    .on('base[href]', {
      element(element) {
        found.base ??= decode(element.getAttribute('href') ?? '').trim();
      },
    })
    .on('svg', {
      element(element) {
        drawings++;
        element.onEndTag(() => {
          drawings--;
        });
      },
    })
    // Anywhere in the document, because most documents omit <head>. A title inside an SVG belongs to the SVG.
    .on('title', {
      text(chunk) {
        if (!hasTitle && drawings === 0) found.title += chunk.text;
        if (chunk.lastInTextNode && found.title) hasTitle = true;
      },
    });
  const reader = rewriter.transform(response).body?.getReader();
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_BYTES) {
      await reader.cancel();
      break;
    }
  }
  return found;
}
