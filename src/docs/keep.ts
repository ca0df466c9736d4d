import { makeVariants, pickVariant } from '../http/index.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { DocsPage } from './layout.ts';

/** Makes a page when it is first asked for; everybody after that gets the same bytes, or is told to use theirs. */
export function keepPage(make: () => Promise<DocsPage>): (request: Request) => Promise<Response> {
  let making: ReturnType<typeof prepare> | undefined;
  return async (request) => {
    making ??= prepare(make);
    const { headers, tag, variants } = await making;
    const variant = pickVariant(variants, request.headers.get('accept-encoding'));
    const known = request.headers.get('if-none-match');
    const sent = {
      ...headers,
      // Asked again each time: an upgrade changes the text, and the address of its stylesheet.
      'cache-control': 'public, no-cache',
      etag: variant.etag,
      vary: 'Accept-Encoding',
      ...(variant.encoding && { 'content-encoding': variant.encoding }),
    };
    if (known !== null && (known === '*' || known.includes(tag))) {
      return new Response(null, { status: 304, headers: sent });
    }
    return new Response(variant.bytes, { headers: sent });
  };
}

async function prepare(make: () => Promise<DocsPage>) {
  const { text, headers } = await make();
  const tag = hashSecret(text).slice(0, 16);
  return { headers, tag, variants: await makeVariants(Buffer.from(text), tag) };
}
