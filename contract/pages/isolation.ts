import { z } from 'zod';

/** What a page asks browsers for on its own host. Without one, at `/p/<slug>`, it has no effect. */
export const PageIsolation = z
  .strictObject({
    coop: z.enum(['same-origin', 'same-origin-allow-popups'], {
      error: 'must be same-origin or same-origin-allow-popups',
    }),
    coep: z.enum(['require-corp', 'credentialless'], { error: 'must be require-corp or credentialless' }),
    service_worker: z.boolean('must be true or false'),
  })
  .partial()
  .meta({
    description:
      'On the page’s own host: the headers Cross-Origin-Opener-Policy and -Embedder-Policy (both are needed for threads and SharedArrayBuffer), and whether a script of the page can be a service worker.',
  });
export type PageIsolation = z.infer<typeof PageIsolation>;
