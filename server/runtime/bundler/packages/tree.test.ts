import { expect, test } from 'bun:test';
import { MAX_LINKS } from './limits.ts';
import type { Manifest } from './packument.ts';
import { Ranges } from './ranges.ts';
import { buildTree } from './tree.ts';

const manifest = (name: string, dependencies: Record<string, string>): Manifest => ({
  ...{
    name,
    version: '1.0.0',
    tarball: '',
    integrity: '',
    optional: {},
    peers: {},
    optionalPeers: {},
    isNative: false,
  },
  dependencies,
});

/** Packages that all need each other, each with a range of its own. */
function everyoneNeedsEveryone(count: number, further: number) {
  const names = Array.from({ length: count }, (_, index) => `p-${index}`);
  const last = Object.fromEntries(Array.from({ length: further }, (_, index) => [`p-${index}`, '*']));
  const manifests = new Map([
    ...names.map((name, index) => {
      const others = names.filter((other) => other !== name).map((other) => [other, `1 || ^2.${index}`]);
      return [name, manifest(name, Object.fromEntries(others))] as const;
    }),
    ['root', manifest('root', { 'p-0': '1', last: '1' })] as const,
    ['last', manifest('last', last)] as const,
  ]);
  return async (name: string) => manifests.get(name) ?? manifest(name, {});
}

test('packages can have 4,000 dependencies together, and no more', async () => {
  const root = [{ specifier: 'npm:root', name: 'root', range: '1' }];
  // 63 packages with 62 dependencies each, two of the first, and the rest of the last one.
  const rest = MAX_LINKS - 63 * 62 - 2;
  const tree = await buildTree(root, everyoneNeedsEveryone(63, rest));
  expect(tree.nodes.length).toBeGreaterThanOrEqual(65);
  await expect(buildTree(root, everyoneNeedsEveryone(63, rest + 1))).rejects.toThrow(
    'a function can have 4,000 between its packages',
  );
});

test('other work has its turn while ranges are read', async () => {
  const slow = Array.from({ length: 500 }, (_, index) =>
    Array.from({ length: 12 }, (_, n) => `^${n}.${index}`),
  );
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const ranges = new Ranges();
  const texts = slow.map((parts) => parts.join('||'));
  await ranges.read(texts);
  isDone = true;
  expect(turns).toBeGreaterThan(5);
  expect([ranges.fits('3.7.1', texts[7] ?? ''), ranges.fits('3.7.1', texts[8] ?? '')]).toEqual([true, false]);
});

test('a range with a hundred letters is compared, and a longer one is left to the registry', async () => {
  const ranges = new Ranges();
  const longest = '1.0.0'.padEnd(100);
  await ranges.read([longest, `${longest} `]);
  expect([ranges.fits('1.0.0', longest), ranges.fits('1.0.0', `${longest} `)]).toEqual([true, false]);
});
