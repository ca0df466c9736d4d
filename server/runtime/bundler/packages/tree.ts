import { MAX_PACKAGES, type PackageName, parseSpecifier } from '../source.ts';
import { MAX_LINKS } from './limits.ts';
import { PackageError } from './package-error.ts';
import type { Manifest } from './packument.ts';
import { Ranges } from './ranges.ts';

/** A package of a function, in the version that was chosen. */
export interface TreeNode extends Manifest {
  /** The package's place in the order in which packages were chosen. */
  index: number;
  /** What the source says for the package that needs it. */
  specifier: string;
  /** The packages that it imports, by the name that it uses for them. */
  imports: Map<string, TreeNode>;
  /** True if it has optional packages for one system or processor, which functions cannot run. */
  hasNativeParts: boolean;
}

/** All packages of a function. */
export interface PackageTree {
  nodes: TreeNode[];
  /** The packages that the source names, by what it says, for example `npm:zod@4`. */
  roots: Map<string, TreeNode>;
  /** Why a package that the source names cannot be used. */
  failures: Map<string, PackageError>;
}

interface Wish {
  name: string;
  range: string;
  /** The name that the importing package uses. */
  alias: string;
  from: TreeNode;
  kind: 'needed' | 'peer' | 'optional' | 'optional peer';
}

type Pick = (name: string, range: string) => Promise<Manifest>;

/**
 * Chooses the versions of all packages, level by level, so that the result does not depend on which response comes first.
 * A version that was chosen already is used again where it fits.
 */
export async function buildTree(wanted: PackageName[], pick: Pick): Promise<PackageTree> {
  const tree: PackageTree = { nodes: [], roots: new Map(), failures: new Map() };
  const picked = await Promise.all(wanted.map((one) => settle(pick(one.name, one.range))));
  for (const [index, { specifier }] of wanted.entries()) {
    const result = picked[index];
    if (result instanceof PackageError) tree.failures.set(specifier, result);
    else if (result) tree.roots.set(specifier, addNode(tree, result, specifier));
  }
  const isRoot = new Set(tree.roots.values());
  const ranges = new Ranges();
  const find = (wish: Wish) => findFitting(tree, wish, isRoot, ranges);
  let level = [...isRoot];
  let links = 0;
  while (level.length > 0) {
    const wishes = level.flatMap(listWishes);
    links += wishes.length;
    if (links > MAX_LINKS) throw tooMany(level[0], `${MAX_LINKS.toLocaleString('en')} between its packages`);
    await ranges.read(wishes.map(({ range }) => range));
    const missing = [
      ...new Map(wishes.filter((wish) => !find(wish)).map((wish) => [toKey(wish), wish])).values(),
    ];
    if (tree.nodes.length + missing.length > MAX_PACKAGES)
      throw tooMany(level[0], `${MAX_PACKAGES} packages`);
    const manifests = new Map(
      await Promise.all(missing.map(async (wish) => [toKey(wish), await pickFor(wish, pick)] as const)),
    );
    const before = tree.nodes.length;
    for (const wish of wishes) {
      const manifest = manifests.get(toKey(wish));
      const node = find(wish) ?? (manifest && addNode(tree, manifest, wish.from.specifier));
      if (node) wish.from.imports.set(wish.alias, node);
    }
    level = tree.nodes.slice(before);
  }
  return tree;
}

const toKey = ({ name, range }: Wish) => `${name}@${range}`;

function addNode(tree: PackageTree, manifest: Manifest, specifier: string): TreeNode {
  const known = tree.nodes.find(
    ({ name, version }) => name === manifest.name && version === manifest.version,
  );
  if (known) return known;
  const node = {
    ...manifest,
    specifier,
    index: tree.nodes.length,
    imports: new Map<string, TreeNode>(),
    hasNativeParts: false,
  };
  tree.nodes.push(node);
  return node;
}

function listWishes(from: TreeNode): Wish[] {
  const toWish =
    (kind: Wish['kind']) =>
    ([alias, range]: [string, string]): Wish => {
      if (parseSpecifier(`npm:${alias}`)?.name !== alias)
        throw new PackageError(
          `The package ${from.name}@${from.version} needs one whose name is not valid.`,
          false,
          from.specifier,
        );
      // A package under another name.
      const renamed = range.startsWith('npm:') ? parseSpecifier(range) : undefined;
      return { alias, from, kind, name: renamed?.name ?? alias, range: renamed?.range ?? range };
    };
  const { dependencies, optional } = from;
  const withoutNeeded = (peers: Record<string, string>) =>
    Object.entries(peers).filter(([name]) => !Object.hasOwn(dependencies, name));
  return [
    ...Object.entries(dependencies).map(toWish('needed')),
    ...Object.entries(optional).map(toWish('optional')),
    ...withoutNeeded(from.peers).map(toWish('peer')),
    ...withoutNeeded(from.optionalPeers).map(toWish('optional peer')),
  ];
}

/** A chosen version that fits. A peer is what the owner imports, even if the package did not know that version. */
function findFitting(
  { nodes }: PackageTree,
  { name, range, kind }: Wish,
  isRoot: Set<TreeNode>,
  ranges: Ranges,
): TreeNode | undefined {
  const same = nodes.filter((node) => node.name === name);
  const fitting = same.findLast(({ version }) => ranges.fits(version, range));
  const isPeer = kind === 'peer' || kind === 'optional peer';
  return fitting ?? (isPeer ? same.find((node) => isRoot.has(node)) : undefined);
}

/** Picks a version for a package. Undefined if the package is optional and cannot be used. */
async function pickFor({ name, range, from, kind }: Wish, pick: Pick): Promise<Manifest | undefined> {
  if (kind === 'optional peer') return undefined;
  const needed = `${from.name}@${from.version} needs ${name}`;
  // Ranges and tags have no such characters.
  if (kind !== 'optional' && /[:/]/.test(range))
    throw new PackageError(
      `The package ${needed} from ${range.slice(0, 100)}, and only the registry is used.`,
      false,
      from.specifier,
    );
  const result = await settle(pick(name, range));
  const isUsable = !(result instanceof PackageError) && !result.isNative;
  if (!(result instanceof PackageError) && result.isNative) from.hasNativeParts = true;
  if (kind === 'optional') return isUsable ? result : undefined;
  if (!(result instanceof PackageError)) return result;
  throw new PackageError(
    `The package ${needed}, which cannot be used: ${result.message}`,
    result.isOurs,
    from.specifier,
  );
}

const tooMany = (node: TreeNode | undefined, most: string) =>
  new PackageError(
    `The package ${node?.name}@${node?.version} has too many dependencies: a function can have ${most}.`,
    false,
    node?.specifier,
  );

async function settle(picking: Promise<Manifest>): Promise<Manifest | PackageError> {
  try {
    return await picking;
  } catch (error) {
    if (error instanceof PackageError) return error;
    throw error;
  }
}
