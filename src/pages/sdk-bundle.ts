import { join } from 'node:path';

/** The browser SDK, bundled for pages, under an address that changes with its content. */
export interface SdkBundle {
  path: string;
  respond(request: Request): Response;
}

export async function buildSdk(): Promise<SdkBundle> {
  const build = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../sdk/page.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
  });
  const [output] = build.outputs;
  if (!output) throw new Error('the SDK bundle is empty');
  const code = await output.text();
  const hash = new Bun.CryptoHasher('sha256').update(code).digest('base64url').slice(0, 16);
  return {
    path: `/sdk/${hash}.js`,
    respond: (request) => {
      if (request.headers.has('service-worker')) return new Response(null, { status: 403 });
      return new Response(code, {
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
          // Pages in sandbox isolation have no origin of their own, so to them this file is another origin's.
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
          'x-content-type-options': 'nosniff',
        },
      });
    },
  };
}
