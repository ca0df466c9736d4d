import { chmodSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Runtime } from '../workerd/index.ts';
import { readDependencies } from './dependencies.ts';
import { type Compiled, type CompileOptions, compileInBox, findEsbuild } from './esbuild.ts';
import { CompileError, failedImport, formatNode, toCompileError, toImportError } from './faults.ts';
import type { GeneratedCode } from './inspect/inspect-bundle.ts';
import { findJsxSources, withJsxRuntime } from './jsx.ts';
import { parseMessages, unresolvedImport } from './messages.ts';
import { writeStandIns } from './node-modules.ts';
import { PackageCache } from './packages/cache.ts';
import { PackageError } from './packages/package-error.ts';
import { Packages, toAlias } from './packages/packages.ts';
import { Registry, type RegistryOptions } from './packages/registry.ts';
import type { PackageTree } from './packages/tree.ts';
import { busy, MAX_BUNDLE_BYTES, NO_SANDBOX, tooLarge } from './refusals.ts';
import {
  findPackages,
  locatePackage,
  MAIN,
  type ModuleLocation,
  type PackageName,
  type Source,
} from './source.ts';
import type { Output } from './source-map.ts';
import { BundlerThreads } from './threads.ts';
import { isWasm, readWasm, wasmModule } from './wasm.ts';

/** Deploys that are compiled at the same time. While they wait for the registry, they use little. */
const WIDTH = 4;
const MAX_WAITING = 20;
/** Compilers that run at the same time. */
const COMPILERS = 2;

interface BundlerOptions {
  runtime: Runtime;
  /** The data folder, which has the cache of packages. */
  dataFolder: string;
  /** Undefined if the operator turned packages off. */
  npmRegistry: Omit<RegistryOptions, 'fetchExternal'> | undefined;
  fetchExternal: RegistryOptions['fetchExternal'];
}

interface Finished extends Output {
  /** The size of the bundle. */
  bytes: number;
}

/** What the compiler made of a source. */
interface Bundled extends Finished {
  /** The packages with parts that functions cannot run. Some do without them. */
  native: string[];
  generated: GeneratedCode[];
}

/** Makes one module of TypeScript, several modules and npm packages. */
export class Bundler {
  private readonly threads = new BundlerThreads();
  private readonly packages: Packages | undefined;
  private readonly inTurn = createFairQueue({ width: WIDTH, maxWaiting: MAX_WAITING, refused: busy });
  private readonly compileInTurn = createFairQueue({
    width: COMPILERS,
    maxWaiting: MAX_WAITING,
    refused: busy,
  });
  private readonly stopping = new AbortController();
  private preparing: Promise<{ standIns: string; program: string }> | undefined;
  private count = 0;

  constructor(private readonly options: BundlerOptions) {
    const { npmRegistry, fetchExternal, dataFolder } = options;
    this.packages =
      npmRegistry &&
      new Packages({
        registry: new Registry({ ...npmRegistry, fetchExternal }),
        cache: new PackageCache(join(dataFolder, 'packages')),
        threads: this.threads,
      });
  }

  /** Throws `CompileError` if the source is not valid or a package cannot be used. */
  compile(owner: number, source: Source): Promise<Bundled> {
    const { runtime } = this.options;
    // Without a box, a source could include files of this machine.
    if (runtime.sandbox.levels.functions !== 'bwrap') throw new AppError('NOT_INSTALLED', NO_SANDBOX);
    return this.inTurn(String(owner), async () => {
      const user = runtime.sandbox.users?.next();
      chmodSync(runtime.makeFolder('bundler', undefined), 0o711);
      const folder = runtime.makeFolder(join('bundler', `work-${++this.count}`), user);
      try {
        return await this.compileIn(folder, user, String(owner), source);
      } finally {
        // Packages can have thousands of files.
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  /**
   * Finds code that makes code from text in a call. Throws `CompileError` for an import that cannot work. If the code
   * cannot be read in time, nothing is found: the findings only help.
   */
  async inspect(
    { bundle, sourceMap }: { bundle: string; sourceMap?: string | null },
    tree: PackageTree = NO_PACKAGES,
  ): Promise<GeneratedCode[]> {
    const direct = [...tree.roots.values()].map(({ index }) => index);
    const order = { code: bundle, sourceMap, packages: tree.nodes.map(formatNode), direct };
    const found = await this.threads.inspect(order).catch(() => undefined);
    if (found?.missing) throw toImportError(found.missing.specifier, found.missing.location, tree);
    return found?.generated ?? [];
  }

  /** Replaces places in the stacks of texts with the owner's own files, lines and columns. */
  mapStacks(sourceMap: string, texts: string[]): Promise<string[]> {
    return this.threads.mapStacks({ sourceMap, texts });
  }

  /** The place in the source of a place in the bundle. */
  locate(sourceMap: string, line: number, column: number): Promise<ModuleLocation | undefined> {
    return this.threads.locate({ sourceMap, line, column });
  }

  /** Ends the compilations that are in progress. */
  cancel(): void {
    this.stopping.abort();
  }

  stop(): void {
    this.threads.stop();
  }

  private async compileIn(
    folder: string,
    user: ReturnType<NonNullable<Runtime['sandbox']['users']>['next']> | undefined,
    owner: string,
    source: Source,
  ): Promise<Bundled> {
    await writeSource(folder, source);
    const tree = await this.install(folder, source);
    await showToAll([
      join(folder, 'source'),
      ...(tree.nodes.length > 0 ? [join(folder, 'node_modules')] : []),
    ]);
    const { program, standIns } = await this.prepare();
    const aliases = [...tree.roots]
      .filter(([specifier]) => specifier.startsWith('npm:'))
      .map(([specifier, node]): [string, string] => [specifier, toAlias(node)]);
    const order = { runtime: this.options.runtime, program, standIns, folder, user, aliases };
    const run = (options: CompileOptions) =>
      this.compileInTurn(owner, () => compileInBox({ ...order, ...options }, this.stopping.signal));
    const compiled = await this.compileWithJsx(source, run);
    if (!('output' in compiled)) throw await this.withHint(this.toError(compiled, source, tree), folder);
    if (tree.failures.size > 0) {
      const whole = await run({ keepsUnusedImports: true });
      const fault = 'messages' in whole ? failedImport(whole.messages, source, tree) : undefined;
      if (fault) throw fault;
    }
    const finish = async (output: Uint8Array): Promise<Finished> => {
      const packages = tree.nodes.map(formatNode);
      const finishing = { output, packages, maxBundleBytes: MAX_BUNDLE_BYTES };
      const finished = await this.threads.finish(owner, finishing);
      return { ...finished, bytes: Buffer.byteLength(finished.bundle) };
    };
    const compileAgain = async (output: Finished, more: CompileOptions) => {
      const again = await this.compileWithJsx(source, (options) => run({ ...options, ...more }));
      return 'output' in again ? finish(again.output) : output;
    };
    const first = await finish(compiled.output);
    const more: CompileOptions = first.isFaulty ? { keepsAll: true } : {};
    const output = first.isFaulty ? await compileAgain(first, more) : first;
    const generated = await this.inspect(output, tree);
    if (output.bytes <= MAX_BUNDLE_BYTES) return { ...output, native: findNative(tree), generated };
    // Without spaces and comments it may fit. Stacks then name less of the code of packages.
    const shortened = await compileAgain(output, { ...more, isShort: true });
    if (shortened.bytes > MAX_BUNDLE_BYTES)
      throw new CompileError(tooLarge(shortened.bytes, output.largest), START);
    return { ...shortened, largest: output.largest, native: findNative(tree), generated };
  }

  /** The main module can have JSX, which TypeScript reads differently. So it is tried only if the rest is not valid. */
  private async compileWithJsx(source: Source, run: (options: { hasJsx?: boolean }) => Promise<Compiled>) {
    const plain = await run({});
    if (!('messages' in plain) || !/<\/|\/>/.test(source.code)) return plain;
    const withJsx = await run({ hasJsx: true });
    const isRead = !('messages' in withJsx) || parseMessages(withJsx.messages).every(unresolvedImport);
    return isRead ? withJsx : plain;
  }

  /** Adds to an error about an import which package it may mean. */
  private async withHint(error: Error, folder: string): Promise<Error> {
    if (!(error instanceof CompileError) || error.missingPackage === undefined) return error;
    const { missingPackage: name, location } = error;
    const version = await this.packages?.findLatest(name, folder);
    const example = version === undefined ? 'npm:zod@4' : `npm:${name}@${toRange(version)}`;
    const text = `${error.message} Packages are imported with npm: and a version, for example "${example}".`;
    return new CompileError(text, location, false, true);
  }

  private async install(folder: string, source: Source): Promise<PackageTree> {
    const wanted = findPackages(source, readDependencies(source), findJsxSources(source));
    if (wanted.length === 0) return NO_PACKAGES;
    if (!this.packages) return { ...NO_PACKAGES, failures: turnedOff(wanted) };
    try {
      return await this.packages.install(wanted, folder);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      const { message, isOurs, specifier = '' } = error;
      throw new CompileError(message, locatePackage(source, specifier), isOurs);
    }
  }

  /** Puts the compiler and the stand-ins where the users of boxes can read them, on first use. */
  private prepare() {
    this.preparing ??= this.makeBase().catch((error: unknown) => {
      this.preparing = undefined;
      throw error;
    });
    return this.preparing;
  }

  private async makeBase(): Promise<{ standIns: string; program: string }> {
    const { runtime } = this.options;
    const standIns = join(runtime.folder, 'bundler', 'node_modules');
    writeStandIns(standIns);
    await showToAll([standIns]);
    return { standIns, program: runtime.shareProgram(findEsbuild(), 'esbuild') };
  }

  private toError(
    compiled: Exclude<Compiled, { output: Uint8Array }>,
    source: Source,
    tree: PackageTree,
  ): Error {
    if ('messages' in compiled) return toCompileError(compiled.messages, source, tree);
    if (this.stopping.signal.aborted)
      return new AppError('UNAVAILABLE', 'The server is stopping. Try again in a moment.');
    const why = {
      'too slow': 'The code could not be compiled within 10 seconds.',
      'too large': tooLarge(undefined),
      'out of memory': 'The compiler ran out of memory. The code may be nested too deeply.',
    }[compiled.failure];
    return new CompileError(why, START);
  }
}

const NO_PACKAGES: PackageTree = { nodes: [], roots: new Map(), failures: new Map() };
const START: ModuleLocation = { file: MAIN, line: 1, column: 1 };

/** Writes the files of a source. Their paths were checked when they came in. */
async function writeSource(folder: string, source: Source): Promise<void> {
  const { code, files } = source;
  for (const [path, text] of [[MAIN, code] as const, ...Object.entries(files)]) {
    const target = join(folder, 'source', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, isWasm(path) ? toModule(path, text) : withJsxRuntime(path, text, source));
  }
}

function toModule(path: string, base64: string): string {
  const bytes = readWasm(base64);
  if (bytes) return wasmModule(bytes);
  throw new CompileError('The file is not WebAssembly as Base64.', { file: path, line: 1, column: 1 });
}

/** The range of versions to recommend: those that promise to be compatible. */
function toRange(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}

const findNative = (tree: PackageTree) => tree.nodes.filter((node) => node.hasNativeParts).map(formatNode);

/** Lets the user of a box read files, whatever mode the server makes them with. */
async function showToAll(folders: string[]): Promise<void> {
  const code = await Bun.spawn(['chmod', '-R', 'a+rX', ...folders], { stdio: ['ignore', 'ignore', 'ignore'] })
    .exited;
  if (code !== 0) throw new Error(`chmod ended with ${code}`);
}

function turnedOff(wanted: PackageName[]): PackageTree['failures'] {
  const error = new PackageError('The operator of this server has turned npm packages off.');
  return new Map(wanted.map(({ specifier }) => [specifier, error]));
}
