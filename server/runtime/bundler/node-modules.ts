import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The modules of Node.js that the runtime has. Some only have functions that throw, but many packages import them for
 * something that they never do in a function. Test: test/api/functions/node-modules.test.ts.
 */
export const NODE_MODULES = [
  ...['_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server'],
  ...['_stream_duplex', '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_wrap'],
  ...['_stream_writable', '_tls_common', '_tls_wrap', 'assert', 'assert/strict', 'async_hooks', 'buffer'],
  ...['child_process', 'cluster', 'console', 'constants', 'crypto', 'dgram', 'diagnostics_channel', 'dns'],
  ...['dns/promises', 'domain', 'events', 'fs', 'fs/promises', 'http', 'http2', 'https', 'inspector'],
  ...['inspector/promises', 'module', 'net', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks'],
  ...['process', 'punycode', 'querystring', 'readline', 'readline/promises', 'repl', 'stream'],
  ...['stream/consumers', 'stream/promises', 'stream/web', 'string_decoder', 'sys', 'timers'],
  ...['timers/promises', 'tls', 'trace_events', 'tty', 'url', 'util', 'util/types', 'v8', 'vm', 'wasi'],
  ...['worker_threads', 'zlib'],
] as const;
/** Modules that must be imported with `node:`. Without it, these are names of packages. */
const PREFIXED = ['sqlite', 'test'] as const;

const PRESENT = new Set<string>([...NODE_MODULES, ...PREFIXED]);

/** The module of Node.js that an import means and that the runtime does not have. */
export function missingNodeModule(specifier: string): string | undefined {
  return specifier.startsWith('node:') && !PRESENT.has(specifier.slice('node:'.length))
    ? specifier
    : undefined;
}

/** The folder of stand-ins for imports with `node:`. No package can have this name. */
const PREFIXED_FOLDER = 'quire+node';

/**
 * Writes a stand-in for each module, which the compiler finds where a package has no dependency of that name. Packages
 * call `require('events')`, but a worker can only import. The prefix keeps the compiler from finding the stand-in again.
 */
export function writeStandIns(folder: string): void {
  for (const name of NODE_MODULES) writeStandIn(folder, name);
  for (const name of PRESENT) writeStandIn(join(folder, PREFIXED_FOLDER), name);
}

function writeStandIn(folder: string, name: string): void {
  const isFolder = NODE_MODULES.some((other) => other.startsWith(`${name}/`)) || !name.includes('/');
  const path = join(folder, isFolder ? `${name}/index.js` : `${name}.js`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import found from "quire-node:${name}";\nmodule.exports = found;\n`, { mode: 0o644 });
}

/** `node:events` as the compiler must read it: from the stand-ins, never from a package. */
export const nodeAliases = () =>
  [...new Set([...PRESENT].map((name) => name.split('/')[0] ?? ''))].map(
    (name) => `--alias:node:${name}=${PREFIXED_FOLDER}/${name}`,
  );
