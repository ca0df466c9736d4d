import { join } from 'node:path';
import type { StorageMode } from '../../../../contract/rules/storage-modes.ts';
import { loadModule, type ModulePath } from '../../../lib/modules.ts';
import { makeVariants, sendVariants, type Variants } from '../../../platform/http/index.ts';

/** The browser SDK: a bundle for each storage mode, and the types of all. */
export interface Sdk {
  /** The path of a bundle. It changes with the content, so that browsers can cache it. */
  findPath(mode: StorageMode): string;
  /** Responds with a file of the SDK. Undefined if there is nothing at the path. */
  respond(request: Request, path: string): Response | Promise<Response> | undefined;
}

export const SDK_PATH = '/sdk/';

const FOLDER = join(import.meta.dir, '../../../../sdk');
const ENTRANCES: Record<StorageMode, ModulePath> = {
  page: 'sdk/page.ts',
  solo_app: 'sdk/solo-app.ts',
  team_app: 'sdk/team-app.ts',
  social_app: 'sdk/social-app.ts',
};
const TYPES = 'quire.d.ts';
/** Parts of the SDK that the bundles load when they need them. */
const PARTS: Record<string, ModulePath> = {
  // Loaded in browsers with an agent of their own.
  'agent-tools.js': 'sdk/agent-tools/index.ts',
  // Loaded if a script of the page fails.
  'errors.js': 'sdk/errors/index.ts',
  // Loaded on pages whose errors are repaired.
  'steps.js': 'sdk/errors/steps.ts',
  // Loaded in a tab that `quire dev` opened.
  'reload.js': 'sdk/reload/index.ts',
  // Loaded on pages that use `PageLive`.
  'live.js': 'sdk/live/join.ts',
  // Loaded on pages that follow collections or functions.
  'live-queries.js': 'sdk/live-queries/index.ts',
  // Loaded in workers of pages without an origin.
  'worker.js': 'sdk/workers/prepare.ts',
};

/** Headers of bundles, which never change: their URL has a hash of their content. */
const FOR_EVER = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
};
/** Headers for pages in sandbox isolation, which have an opaque origin, so these files are cross-origin. */
const FOR_ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/** A file of the SDK. It is compressed when somebody asks for it for the first time, not while the server starts. */
class SdkFile {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #variants: Variants | undefined;
  #compressing: Promise<Variants> | undefined;

  constructor(
    text: string,
    private readonly headers: Record<string, string>,
    private readonly hash = hashText(text),
  ) {
    this.#bytes = Buffer.from(text);
  }

  send(request: Request): Response | Promise<Response> {
    const sent = (variants: Variants) =>
      sendVariants(variants, request, { ...this.headers, ...FOR_ANY_ORIGIN });
    return this.#variants ? sent(this.#variants) : this.#compress().then(sent);
  }

  #compress(): Promise<Variants> {
    this.#compressing ??= makeVariants(this.#bytes, this.hash).then(
      (variants) => {
        this.#variants = variants;
        return variants;
      },
      (error: unknown) => {
        // The next request tries again.
        this.#compressing = undefined;
        throw error;
      },
    );
    return this.#compressing;
  }
}

let built: Promise<Sdk> | undefined;

/** Builds the SDK once. */
export function buildSdk(): Promise<Sdk> {
  built ??= build();
  return built;
}

async function build(): Promise<Sdk> {
  const files = new Map<string, SdkFile>();
  const paths = {} as Record<StorageMode, string>;
  await Promise.all(
    Object.entries(ENTRANCES).map(async ([mode, entrance]) => {
      const code = await loadModule(entrance);
      const hash = hashText(code);
      paths[mode as StorageMode] = `${SDK_PATH}${hash}.js`;
      files.set(`${SDK_PATH}${hash}.js`, new SdkFile(code, FOR_EVER, hash));
    }),
  );
  const types = await Bun.file(join(FOLDER, TYPES)).text();
  files.set(SDK_PATH + TYPES, namedFile(types, 'text/plain'));
  for (const [name, path] of Object.entries(PARTS))
    files.set(SDK_PATH + name, namedFile(await loadModule(path), 'text/javascript'));

  return {
    findPath: (mode) => paths[mode],
    respond(request, path) {
      const file = files.get(path);
      if (!file) return undefined;
      // On a page's own host this file could otherwise be registered as its service worker.
      if (request.headers.has('service-worker')) return new Response(null, { status: 403 });
      return file.send(request);
    },
  };
}

/** A file whose URL stays the same when its content changes. */
function namedFile(text: string, type: string): SdkFile {
  return new SdkFile(text, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' });
}

function hashText(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 16);
}
