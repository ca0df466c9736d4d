import { hashSecret } from '../../lib/secrets.ts';
import { makeVariants, sendVariants } from '../http/index.ts';
import type { DocsPage } from './layout.ts';

/** Makes a page when it is first asked for; everybody after that gets the same bytes, or is told to use theirs. */
export function keepPage(make: () => Promise<DocsPage>): (request: Request) => Promise<Response> {
  let making: ReturnType<typeof prepare> | undefined;
  return async (request) => {
    making ??= prepare(make).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    const { headers, variants } = await making;
    // Asked again each time: an upgrade changes the text, and the address of its stylesheet.
    return sendVariants(variants, request, { ...headers, 'cache-control': 'public, no-cache' });
  };
}

async function prepare(make: () => Promise<DocsPage>) {
  const { text, headers } = await make();
  const tag = hashSecret(text).slice(0, 16);
  return { headers, variants: await makeVariants(Buffer.from(text), tag) };
}
