import { hashSecret } from '../../lib/secrets.ts';
import { makeVariants, sendVariants } from '../../platform/http/index.ts';
import { look } from '../../platform/service-settings/index.ts';
import type { DocsPage } from './layout.ts';

/** Renders a page on first use, and when the look of the server changes. Other requests get the same bytes, or 304. */
export function keepPage(make: () => Promise<DocsPage>): (request: Request) => Promise<Response> {
  let making: ReturnType<typeof prepare> | undefined;
  let madeFor = look();
  return async (request) => {
    if (madeFor !== look()) making = undefined;
    madeFor = look();
    making ??= prepare(make).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    const { headers, variants } = await making;
    // Browsers check every time, because an upgrade changes the text and the URL of the stylesheet.
    const response = sendVariants(variants, request, { ...headers, 'cache-control': 'public, no-cache' });
    // Programs can also ask for Markdown at the same address.
    response.headers.set('vary', 'Accept, Accept-Encoding');
    return response;
  };
}

async function prepare(make: () => Promise<DocsPage>) {
  const { text, headers } = await make();
  const tag = hashSecret(text).slice(0, 16);
  return { headers, variants: await makeVariants(Buffer.from(text), tag) };
}
