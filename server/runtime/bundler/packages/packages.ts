import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createSemaphore } from '../../../lib/queues.ts';
import { MAX_PACKAGES, type PackageName } from '../source.ts';
import type { PackageCache } from './cache.ts';
import { FETCH_MS, FETCHES_AT_ONCE, MAX_UNPACKED_BYTES, MAX_UNPACKED_FILES } from './limits.ts';
import { PackageError } from './package-error.ts';
import type { Manifest } from './packument.ts';
import type { Registry } from './registry.ts';
import type { PackageTree, TreeNode } from './tree.ts';
import type { Unpacked, UnpackOrder } from './unpack.ts';

/** What a thread does with packages. */
export interface PackageTasks {
  pick: { order: { name: string; range: string; file: string }; reply: Manifest };
  readVersion: { order: { name: string; version: string; file: string }; reply: Manifest | undefined };
  unpack: { order: UnpackOrder; reply: Unpacked | undefined };
}

interface PackagesOptions {
  registry: Registry;
  cache: PackageCache;
  threads: {
    [Task in keyof PackageTasks]: (
      order: PackageTasks[Task]['order'],
    ) => Promise<PackageTasks[Task]['reply']>;
  };
}

/** What the packages of one deploy may still take up. */
interface Left {
  bytes: number;
  files: number;
}

/** The folder for what is fetched, in the folder of a compilation. */
const DOWNLOADS = 'downloads';
/** How long an error message waits for the registry. */
const LATEST_MS = 5_000;
/** A range that the registry has a document about, which is much shorter than the list of all versions. */
const ONE_VERSION = /^(?:latest|\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/;

/** Where a package's files are, relative to the folder of a compilation. */
const packageFolder = ({ index, name }: TreeNode) =>
  join('node_modules', '.q', String(index), 'node_modules', name);

/** The name under which the compiler finds a package that the source imports. No package can have it. */
export const toAlias = ({ index }: TreeNode) => `q+${index}`;

/** Puts the packages that a source names, and those that they need, into a folder as a package manager does. */
export class Packages {
  constructor(private readonly options: PackagesOptions) {}

  async install(wanted: PackageName[], folder: string): Promise<PackageTree> {
    if (wanted.length > MAX_PACKAGES)
      throw new PackageError(`The code names more than ${MAX_PACKAGES} packages.`);
    const failing = new AbortController();
    const signal = AbortSignal.any([AbortSignal.timeout(FETCH_MS), failing.signal]);
    const inTurn = queue(FETCHES_AT_ONCE);
    // One after the other, so that what is left is known.
    const unpackInTurn = queue(1);
    // This module loads what reads ranges, which a server without packages does not need.
    const { buildTree } = await import('./tree.ts');
    await mkdir(join(folder, DOWNLOADS), { recursive: true });
    const tree = await buildTree(wanted, (name, range) =>
      inTurn(() => this.pick(name, range, folder, signal)),
    );
    const left: Left = { bytes: MAX_UNPACKED_BYTES, files: MAX_UNPACKED_FILES };
    const unpack = (node: TreeNode, tarball: string) =>
      unpackInTurn(() => {
        failing.signal.throwIfAborted();
        return this.unpack(node, tarball, folder, left);
      });
    const install = async (node: TreeNode) => {
      const { registry, cache } = this.options;
      const title = `${node.name}@${node.version}`;
      const kept = await cache.get(node.integrity);
      // A package that is damaged on disk is fetched again.
      if (kept && (await unpack(node, kept))) return;
      await withDownload(folder, async (tarball) => {
        await registry.saveTarball(title, node.tarball, tarball, signal);
        if (!(await unpack(node, tarball)))
          throw new PackageError(
            `The package ${title} does not match its integrity hash.`,
            false,
            node.specifier,
          );
        await cache.put(node.integrity, tarball);
      });
    };
    const installing = tree.nodes.map((node) => inTurn(() => install(node)));
    // Waits until all have ended: nothing may be written into a folder that is being removed.
    for (const one of installing) one.catch((error: unknown) => failing.abort(error));
    await Promise.allSettled(installing);
    failing.signal.throwIfAborted();
    await link(tree, folder);
    return tree;
  }

  /** The newest version of a package. Undefined if the registry does not say. */
  async findLatest(name: string, folder: string): Promise<string | undefined> {
    await mkdir(join(folder, DOWNLOADS), { recursive: true });
    try {
      return (await this.pick(name, 'latest', folder, AbortSignal.timeout(LATEST_MS))).version;
    } catch (error) {
      if (error instanceof PackageError) return undefined;
      throw error;
    }
  }

  private pick(name: string, range: string, folder: string, signal: AbortSignal): Promise<Manifest> {
    const { registry, threads } = this.options;
    return withDownload(folder, async (file) => {
      if (ONE_VERSION.test(range) && (await registry.saveVersion(name, range, file, signal))) {
        const found = await threads.readVersion({ name, version: range, file });
        if (found) return found;
      }
      await registry.saveVersions(name, file, signal);
      return threads.pick({ name, range, file });
    });
  }

  /** Unpacks a package. False if it has another hash. */
  private async unpack(node: TreeNode, tarball: string, folder: string, left: Left): Promise<boolean> {
    const { specifier, integrity } = node;
    const order = {
      name: `${node.name}@${node.version}`,
      folder: join(folder, packageFolder(node)),
      ...{ tarball, integrity, specifier, maxBytes: left.bytes, maxFiles: left.files },
    };
    const unpacked = await this.options.threads.unpack(order);
    left.bytes -= unpacked?.bytes ?? 0;
    left.files -= unpacked?.files ?? 0;
    return unpacked !== undefined;
  }
}

/** Gives a task a file for what it fetches, and deletes it afterwards. */
async function withDownload<Result>(folder: string, use: (file: string) => Promise<Result>): Promise<Result> {
  const file = join(folder, DOWNLOADS, Bun.randomUUIDv7());
  try {
    return await use(file);
  } finally {
    await rm(file, { force: true });
  }
}

function queue(width: number) {
  const take = createSemaphore(width, Number.POSITIVE_INFINITY);
  // Nobody is refused, because as many can wait as there are packages.
  return <Result>(work: () => Promise<Result>) => take(work, () => new Error('refused'));
}

/** Every package finds the ones that it imports beside itself, and the source finds its own by their index. */
async function link({ nodes, roots }: PackageTree, folder: string): Promise<void> {
  const linkTo = async (path: string, node: TreeNode) => {
    const target = join(folder, packageFolder(node));
    // A package without code has no folder.
    await mkdir(target, { recursive: true });
    await mkdir(dirname(path), { recursive: true });
    await symlink(relative(dirname(path), target), path);
  };
  for (const node of new Set(roots.values())) await linkTo(join(folder, 'node_modules', toAlias(node)), node);
  for (const [specifier, node] of roots)
    if (!specifier.startsWith('npm:')) await linkTo(join(folder, 'node_modules', specifier), node);
  for (const node of nodes) {
    const beside = join(folder, 'node_modules', '.q', String(node.index), 'node_modules');
    for (const [alias, imported] of node.imports)
      if (alias !== node.name) await linkTo(join(beside, alias), imported);
  }
}
