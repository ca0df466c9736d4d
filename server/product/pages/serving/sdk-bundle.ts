import { join } from 'node:path';
import type { StorageMode } from '../../../../contract/rules/storage-modes.ts';
import { loadModule, type ModulePath } from '../../../lib/modules.ts';
import { makeVariants, sendVariants, type Variants } from '../../../platform/http/index.ts';

/** The browser SDK: a bundle for each storage mode, and the types of all. */
export interface Sdk {
  /** Changes with the content, so that browsers can cache it. */
  pathOf(mode: StorageMode): string;
  /** Undefined if there is nothing at the path. */
  respond(request: Request, path: string): Response | undefined;
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
/** Loaded by the bundles in browsers with an agent of their own. */
const AGENT_TOOLS = 'agent-tools.js';
/** Loaded by the bundles if a script of the page fails. */
const ERRORS = 'errors.js';
/** Loaded by the bundles in a tab that `quire dev` opened. */
const RELOAD = 'reload.js';
/** Loaded by the bundles on pages that use `PageLive`. */
const LIVE = 'live.js';

/** Pages in sandbox isolation have an opaque origin, so these files are cross-origin for them. */
const FOR_ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

interface SdkFile {
  variants: Variants;
  headers: Record<string, string>;
}

let built: Promise<Sdk> | undefined;

/** Builds it once. */
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
      const hash = hashOf(code);
      paths[mode as StorageMode] = `${SDK_PATH}${hash}.js`;
      files.set(`${SDK_PATH}${hash}.js`, {
        variants: await makeVariants(Buffer.from(code), hash),
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
        },
      });
    }),
  );
  const types = await Bun.file(join(FOLDER, TYPES)).text();
  files.set(SDK_PATH + TYPES, await namedFile(types, 'text/plain'));
  const agentTools = await loadModule('sdk/agent-tools/index.ts');
  files.set(SDK_PATH + AGENT_TOOLS, await namedFile(agentTools, 'text/javascript'));
  const errors = await loadModule('sdk/errors/index.ts');
  files.set(SDK_PATH + ERRORS, await namedFile(errors, 'text/javascript'));
  const reload = await loadModule('sdk/reload/index.ts');
  files.set(SDK_PATH + RELOAD, await namedFile(reload, 'text/javascript'));
  const live = await loadModule('sdk/live/join.ts');
  files.set(SDK_PATH + LIVE, await namedFile(live, 'text/javascript'));

  return {
    pathOf: (mode) => paths[mode],
    respond(request, path) {
      const file = files.get(path);
      if (!file) return undefined;
      // On a page's own host this file could otherwise be registered as its service worker.
      if (request.headers.has('service-worker')) return new Response(null, { status: 403 });
      return sendVariants(file.variants, request, { ...file.headers, ...FOR_ANY_ORIGIN });
    },
  };
}

/** A file whose URL stays the same when its content changes. */
async function namedFile(text: string, type: string): Promise<SdkFile> {
  return {
    variants: await makeVariants(Buffer.from(text), hashOf(text)),
    headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' },
  };
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 16);
}
