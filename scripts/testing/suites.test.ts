import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { LONG_FILES } from './long-files.ts';
import { root } from './root.ts';
import {
  allSuites,
  CHECKS,
  choose,
  FROM_REGISTRY,
  findSuite,
  IN_OWN_NETWORK,
  ON_BOTH_ENGINES,
  ON_POSTGRES,
  quickSuites,
  SOAKED,
  type Suites,
} from './suites.ts';

const SUITES: Suites = new Map([
  ['lint', []],
  ['unit', ['sdk/data.test.ts']],
  ['api-sqlite', ['test/api/data.test.ts', 'test/api/pages.test.ts']],
  ['api-postgres', ['test/api/data.test.ts', 'test/api/pages.test.ts']],
]);

test('a file belongs to the suite of its folder', () => {
  expect(findSuite('test/cli/help.test.ts')).toBe('cli');
  expect(findSuite('test/architecture.test.ts')).toBe('architecture');
  expect(findSuite('test/api/data/data.test.ts')).toBe('api-sqlite');
  expect(findSuite('test/browser/data.test.ts')).toBe('browser');
  expect(findSuite('test/dashboard/data/data.test.ts')).toBe('dashboard');
  expect(findSuite('sdk/data.test.ts')).toBe('unit');
});

test('every suite except the commands has files', () => {
  const suites = allSuites();
  const empty = [...suites].filter(([, files]) => files.length === 0).map(([name]) => name);
  expect(empty).toEqual(Object.keys(CHECKS));
  expect(suites.get('unit')).toContain('scripts/testing/suites.test.ts');
  expect([...suites.values()].flat().some((file) => file.includes('node_modules'))).toBe(false);
});

test('files about requests at the same time run on both engines', async () => {
  const all = allSuites().get('api-sqlite') ?? [];
  expect(all).toEqual(expect.arrayContaining(ON_BOTH_ENGINES));
  expect(new Set(ON_BOTH_ENGINES).size).toBe(ON_BOTH_ENGINES.length);
  expect(ON_BOTH_ENGINES).toEqual(expect.arrayContaining(all.filter((file) => /\braces?\b/.test(file))));
});

test('npm test leaves out the long files, the second engine and what needs a registry, and nothing else', () => {
  const [all, quick] = [allSuites(), quickSuites()];
  const left = [...all].flatMap(([name, files]) => files.filter((file) => !quick.get(name)?.includes(file)));
  const fromRegistry = FROM_REGISTRY.flatMap((name) => all.get(name) ?? []);
  expect(new Set(left)).toEqual(new Set([...LONG_FILES, ...ON_BOTH_ENGINES, ...fromRegistry]));
  expect([...all.keys()].filter((name) => !quick.has(name))).toEqual([...FROM_REGISTRY, ON_POSTGRES]);
  const empty = [...quick].filter(([, files]) => files.length === 0).map(([name]) => name);
  expect(empty).toEqual(Object.keys(CHECKS));
});

test('no word selects all suites', () => {
  expect(choose(SUITES, [])).toEqual(SUITES);
});

test('a word selects suites by name, or files by path if no suite has that name', () => {
  expect([...choose(SUITES, ['api', 'lint']).keys()]).toEqual(['api-sqlite', 'api-postgres', 'lint']);
  expect([...choose(SUITES, ['api/data'])]).toEqual([
    ['api-sqlite', ['test/api/data.test.ts']],
    ['api-postgres', ['test/api/data.test.ts']],
  ]);
  expect(choose(SUITES, ['nothing']).size).toBe(0);
});

test('the files that add network interfaces run in their own network', async () => {
  const files = [...allSuites().values()].flat();
  const texts = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()));
  const adding = files.filter((_, index) => texts[index]?.includes('= makeNetwork('));
  expect(adding.filter((file) => file !== import.meta.path.slice(root.length + 1))).toEqual(IN_OWN_NETWORK);
});

test('a soak runs faults, the cluster and the model of moments, and nothing else', () => {
  const soaked = choose(allSuites(), SOAKED);
  expect([...soaked.keys()].sort()).toEqual(['api-postgres', 'api-sqlite', 'cluster', 'faults']);
  for (const suite of ['faults', 'cluster']) expect(soaked.get(suite)).toEqual(allSuites().get(suite));
  for (const suite of ['api-sqlite', 'api-postgres'])
    expect(soaked.get(suite)).toEqual(['test/api/pages/moments-model.test.ts']);
});
