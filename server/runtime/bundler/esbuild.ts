import { createRequire } from 'node:module';
import { type Box, type Launch, launch, type Runtime, spawnBoxed } from '../workerd/index.ts';
import { ERROR_MARK, isOutOfMemory } from './messages.ts';
import { nodeAliases } from './node-modules.ts';
import { MAIN } from './source.ts';

/** A large function with large packages takes a second. */
const COMPILE_MS = 10_000;
const MAX_DATA_BYTES = 512 * 1024 * 1024;
/** The bundle and its map, which is about three times as large. */
const MAX_OUTPUT_BYTES = 40 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_PROCESSES = 64;
/** Compiling must not take processor time from calls. */
const NICE = ['nice', '-n', '10'];
/** Turns on the garbage collector, which the compiler would turn off. */
const ENVIRONMENT = { GOGC: '100', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** Joined, because the bundler of this server replaces the whole text. */
const joined = (...parts: string[]) => parts.join('.');
/** Where the runtime's virtual file system has the modules of a function. */
const BUNDLE = '/bundle';
/** What packages read in Node.js and the runtime does not have, and what leaves out code that is only for developers. */
const DEFINES = {
  [joined('process', 'env', 'NODE_ENV')]: 'production',
  [joined('__dirname')]: BUNDLE,
  [joined('__filename')]: `${BUNDLE}/function.js`,
  [joined('import', 'meta', 'url')]: `file://${BUNDLE}/function.js`,
  [joined('import', 'meta', 'dirname')]: BUNDLE,
  [joined('import', 'meta', 'filename')]: `${BUNDLE}/function.js`,
};

const PROGRAM = '/esbuild';
const ROOT = '/compile';

interface CompileOrder extends CompileOptions {
  runtime: Runtime;
  /** The compiler, by a path that the user of a box can read. */
  program: string;
  /** The folder that the box's user owns, with the source and the packages. */
  folder: string;
  /** The stand-ins for modules of Node.js. */
  standIns: string;
  user: Box['user'];
  /** What the source says for packages, and the names under which the compiler finds them. */
  aliases: Array<[specifier: string, alias: string]>;
}

/** How a source is compiled. */
export interface CompileOptions {
  /** Resolves imports whose names are not used, too. TypeScript leaves them out. */
  keepsUnusedImports?: boolean;
  /** Reads JSX also in modules whose names do not say so. */
  hasJsx?: boolean;
  /** Leaves out spaces and comments. Names stay, because programs can read them. */
  isShort?: boolean;
  /** Keeps modules that are not used, even if their package says that they have no side effects. */
  keepsAll?: boolean;
}

const KEEP_UNUSED = `--tsconfig-raw=${JSON.stringify({ compilerOptions: { verbatimModuleSyntax: true } })}`;

export type Compiled =
  | { output: Uint8Array }
  | { messages: string }
  | { failure: 'too slow' | 'too large' | 'out of memory' };

/** The compiler that npm installed for this machine. */
export function findEsbuild(): string {
  const { resolve } = createRequire(import.meta.url);
  return resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
}

/** Runs the compiler in a box that has the sources and nothing else: no network, no other files, nothing to write to. */
export function compileInBox(order: CompileOrder, signal: AbortSignal): Promise<Compiled> {
  const box: Box = {
    kind: 'functions',
    user: order.user,
    program: PROGRAM,
    cwd: `${ROOT}/work`,
    readOnly: [
      [order.program, PROGRAM],
      [order.folder, `${ROOT}/work`],
      [order.standIns, `${ROOT}/node_modules`],
    ],
    writable: [],
    maxProcesses: MAX_PROCESSES,
    maxDataBytes: MAX_DATA_BYTES,
    keepsEnvironment: true,
  };
  return run(launch(order.runtime.sandbox, box, makeArguments(order)), signal);
}

function makeArguments({ aliases, keepsUnusedImports, hasJsx, isShort, keepsAll }: CompileOrder): string[] {
  return [
    `source/${MAIN}`,
    ...['--bundle', '--format=esm', '--platform=browser', '--target=es2024', '--charset=utf8'],
    // What packages offer for workers, as the tools of other hosts of workers choose it.
    '--conditions=workerd,worker,browser',
    ...Object.entries(DEFINES).map(([name, value]) => `--define:${name}=${JSON.stringify(value)}`),
    ...['--sourcemap=inline', '--sources-content=false', '--legal-comments=none'],
    ...['--log-level=error', '--log-limit=20', '--color=false'],
    ...['--external:cloudflare:*', '--external:quire-node:*'],
    ...['.css', '.html', '.md', '.sql', '.svg'].map((ending) => `--loader:${ending}=text`),
    // What was written for such a file is JavaScript.
    '--loader:.wasm=js',
    ...(keepsAll ? ['--ignore-annotations'] : []),
    ...(isShort ? ['--minify-whitespace', '--minify-syntax'] : []),
    ...(hasJsx ? ['--loader:.ts=tsx', '--loader:.js=jsx'] : []),
    ...(keepsUnusedImports ? [KEEP_UNUSED] : []),
    ...aliases.map(([specifier, alias]) => `--alias:${specifier}=${alias}`),
    ...nodeAliases(),
  ];
}

function run(boxed: Launch, signal: AbortSignal): Promise<Compiled> {
  const child = spawnBoxed(
    { ...boxed, command: [...NICE, ...boxed.command] },
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: ENVIRONMENT,
      signal: AbortSignal.any([signal, AbortSignal.timeout(COMPILE_MS)]),
      killSignal: 'SIGKILL',
    },
  );
  const output: Buffer[] = [];
  let [size, messages] = [0, ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT_BYTES) output.push(chunk);
    else child.kill('SIGKILL');
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (messages.length < MAX_MESSAGE_BYTES) messages += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    let isLate = false;
    child.on('error', (error) => {
      isLate = true;
      if (error.name !== 'AbortError') reject(error);
    });
    child.on('close', (code) => {
      if (code === 0 && !isLate) return resolve({ output: Buffer.concat(output) });
      if (size > MAX_OUTPUT_BYTES) return resolve({ failure: 'too large' });
      if (isLate) return resolve({ failure: 'too slow' });
      if (isOutOfMemory(messages)) return resolve({ failure: 'out of memory' });
      if (messages.includes(ERROR_MARK)) return resolve({ messages });
      reject(new Error(`the compiler did not start: ${messages.slice(0, 2_000)}`));
    });
  });
}
