import { loadModule, type ModulePath } from '../../lib/modules.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { makeVariants, sendVariants, type Variants } from '../../platform/http/index.ts';

/** Serves a module as the script of a screen. It is bundled on first use. */
export function sendScript(module: ModulePath) {
  let made: Promise<Variants> | undefined;
  const make = async () => {
    const code = await loadModule(module);
    return makeVariants(Buffer.from(code), hashSecret(code).slice(0, 16));
  };
  return async ({ request }: { request: Request }): Promise<Response> => {
    made ??= make();
    made.catch(() => {
      made = undefined;
    });
    return sendVariants(await made, request, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, no-cache',
    });
  };
}
