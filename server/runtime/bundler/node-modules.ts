import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The modules of Node.js that work in functions. workerd has others, but only with functions that throw. */
const NODE_MODULES = [
  ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'console', 'constants', 'crypto'],
  ...['diagnostics_channel', 'dns', 'dns/promises', 'events', 'http', 'https', 'net', 'os'],
  ...['path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode', 'querystring'],
  ...['stream', 'stream/consumers', 'stream/promises', 'stream/web', 'string_decoder', 'sys'],
  ...['timers', 'timers/promises', 'tls', 'tty', 'url', 'util', 'util/types', 'zlib'],
] as const;

const WORKING = new Set<string>(NODE_MODULES);
/** The modules of Node.js that do not work in functions. A package that needs one cannot be used. */
const MISSING = new Set([
  ...['child_process', 'cluster', 'dgram', 'domain', 'fs', 'http2', 'inspector', 'module', 'readline'],
  ...['repl', 'sea', 'sqlite', 'test', 'trace_events', 'v8', 'vm', 'wasi', 'worker_threads'],
]);

/** The module of Node.js that an import means and that functions do not have. */
export function missingNodeModule(specifier: string): string | undefined {
  const name = specifier.replace(/^node:/, '');
  const isMissing = MISSING.has(name.split('/')[0] ?? '') || specifier.startsWith('node:');
  return isMissing && !WORKING.has(name) ? `node:${name}` : undefined;
}

/**
 * Writes a stand-in for each module, which the compiler finds where a package has no dependency of that name. Packages
 * call `require('events')`, but a worker can only import. The prefix keeps the compiler from finding the stand-in again.
 */
export function writeStandIns(folder: string): void {
  for (const name of NODE_MODULES) {
    const path = join(
      folder,
      NODE_MODULES.some((other) => other.startsWith(`${name}/`)) || !name.includes('/')
        ? `${name}/index.js`
        : `${name}.js`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import found from "quire-node:${name}";\nmodule.exports = found;\n`, {
      mode: 0o644,
    });
  }
}

/** `node:events` as the compiler must read it: from the stand-ins, never from a package. */
export const nodeAliases = () =>
  [...new Set(NODE_MODULES.map((name) => name.split('/')[0] ?? ''))].map(
    (name) => `--alias:node:${name}=${name}`,
  );
