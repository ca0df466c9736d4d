import { expect, test } from 'bun:test';
import { dirname, join, normalize, relative } from 'node:path';
import { Glob } from 'bun';

/**
 * The import rules as a program: main -> cli -> app -> slices -> floor -> lib, and across folders only through
 * `index.ts`. A room may use those before it in its list, so that no two depend on each other.
 */
const ROOT = join(import.meta.dir, '..');
const FLOOR = [
  'http',
  'health',
  'docs',
  'reference',
  'storage',
  'redis',
  'blobs',
  'limits',
  'events',
  'metrics',
  'cells',
  'pictures',
  'providers',
];
const SLICES = [
  'credits',
  'accounts',
  'pages',
  'functions',
  'data',
  'teams',
  'features',
  'agent-spec',
  'admin',
  'agents',
  'dashboard',
  'backup',
];

/** What every area of the dashboard may use; of each other they know nothing. */
const DASHBOARD_SHARED = [
  'dashboard/api.ts',
  'dashboard/drafts.ts',
  'dashboard/events.ts',
  'dashboard/router.tsx',
  'dashboard/session.ts',
  'dashboard/ui',
  'dashboard/editor',
];

interface Import {
  from: string;
  to: string;
}

const files = [...new Glob('{src,sdk,dashboard}/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter((path) => !path.endsWith('.d.ts'))
  .sort();
const imports: Import[] = [];
for (const from of files) {
  const text = await Bun.file(join(ROOT, from)).text();
  for (const [, target = ''] of text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)) {
    imports.push({ from, to: normalize(join(dirname(from), target)) });
  }
}

/** The room a file is in: `src/pages`, or the file itself at the top. */
const room = (path: string) => path.split('/').slice(0, 2).join('/');
const isTest = (path: string) => path.endsWith('.test.ts');
const level = (path: string) => {
  const name = room(path).replace('src/', '');
  if (name === 'lib') return 0;
  if (FLOOR.includes(name)) return 1;
  if (SLICES.includes(name)) return 2;
  return {
    'settings.ts': 1.5,
    'config.ts': 1.5,
    'front-door.ts': 3,
    'front-door-routes.ts': 3,
    'service-health.ts': 3,
    'service-metrics.ts': 3,
    'service-routes.ts': 3,
    'app.ts': 4,
    cli: 5,
    'main.ts': 6,
  }[name];
};
const between = imports.filter(
  ({ from, to }) => from.startsWith('src/') && room(from) !== room(to) && to.endsWith('.ts') && !isTest(from),
);
const say = ({ from, to }: Import) => `${from} -> ${to}`;

test('every file has its place in the house', () => {
  const known = files.filter((path) => path.startsWith('src/') && !isTest(path) && path !== 'src/config.ts');
  expect(known.filter((path) => level(path) === undefined)).toEqual([]);
  expect(imports.length).toBeGreaterThan(100);
});

test('imports go down only', () => {
  const up = between.filter(({ from, to }) => (level(to) ?? 99) > (level(from) ?? 0));
  expect(up.map(say)).toEqual([]);
});

test('the floor knows no settings: what it needs is passed in', () => {
  const floorOrSlice = (path: string) => [0, 1, 2].includes(level(path) ?? -1);
  const readers = between.filter(
    ({ from, to }) => ['src/config.ts', 'src/settings.ts'].includes(to) && floorOrSlice(from),
  );
  expect(readers.map(say)).toEqual([]);
});

test('rooms are entered through their index, lib by its files', () => {
  const through = between.filter(
    ({ to }) =>
      (level(to) ?? 0) >= 1 &&
      !to.endsWith('/index.ts') &&
      to.split('/').length > 2 &&
      !to.endsWith('package.json'),
  );
  expect(through.map(say)).toEqual([]);
});

test('a room uses only those before it, so that there is no circle', () => {
  const order = [...FLOOR, ...SLICES];
  const place = (path: string) => order.indexOf(room(path).replace('src/', ''));
  const wrong = between.filter(
    ({ from, to }) => level(from) === level(to) && place(from) >= 0 && place(to) > place(from),
  );
  expect(wrong.map(say)).toEqual([]);
});

test('no file needs the index of its own room, which needs them all', () => {
  const back = imports.filter(
    ({ from, to }) => to === `${dirname(from)}/index.ts` && !isTest(from) && from.startsWith('src/'),
  );
  expect(back.map(say)).toEqual([]);
});

test('the areas of the dashboard share only what all of them share', () => {
  // Tests may look at the service's own rules, to see that the dashboard's agree with them.
  const inside = imports.filter(({ from }) => from.startsWith('dashboard/') && !isTest(from));
  expect(new Set(inside.map(({ from }) => room(from))).size).toBeGreaterThan(DASHBOARD_SHARED.length);
  const out = inside.filter(({ to }) => !to.startsWith('dashboard/'));
  expect(out.map(say)).toEqual([]);
  const isRoot = (path: string) => ['dashboard/main.tsx', 'dashboard/app.tsx'].includes(path);
  const across = inside.filter(
    ({ from, to }) => !isRoot(from) && room(from) !== room(to) && !DASHBOARD_SHARED.includes(room(to)),
  );
  expect(across.map(say)).toEqual([]);
  const through = inside.filter(
    ({ from, to }) => room(from) !== room(to) && to.split('/').length > 2 && !/\/index\.tsx?$/.test(to),
  );
  expect(through.map(say)).toEqual([]);
});

test('the dashboard takes the tokens of the design from the service, and no other style', async () => {
  const outside: string[] = [];
  for (const path of new Glob('dashboard/**/*.css').scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, path)).text();
    for (const [, target = ''] of text.matchAll(/@import "([^"]+)"/g)) {
      const to = normalize(join(dirname(path), target));
      if (!to.startsWith('dashboard/')) outside.push(say({ from: path, to }));
    }
  }
  expect(outside).toEqual(['dashboard/styles.css -> src/http/tokens.css']);
});

test('the SDK stands alone', () => {
  const out = imports.filter(({ from, to }) => from.startsWith('sdk/') && !to.startsWith('sdk/'));
  expect(out.map(say)).toEqual([]);
});

test('only config.ts is given the environment, and only main.ts hands it over', async () => {
  const readers: string[] = [];
  for (const path of files.filter((file) => !isTest(file))) {
    if (/process\.env|Bun\.env/.test(await Bun.file(join(ROOT, path)).text())) readers.push(path);
  }
  expect(readers).toEqual(['src/main.ts']);
});

test('the lock file holds no download addresses', async () => {
  const lock = await Bun.file(join(ROOT, 'package-lock.json')).text();
  expect(lock.includes('"resolved"')).toBe(false);
  for (const cpu of ['x64', 'aarch64']) expect(lock.includes(`@oven/bun-linux-${cpu}"`)).toBe(true);
});

test('nothing over 320 lines', async () => {
  const long: string[] = [];
  for (const path of files.filter((file) => !isTest(file))) {
    const lines = (await Bun.file(join(ROOT, path)).text()).split('\n').length;
    if (lines > 320) long.push(`${relative('', path)}: ${lines}`);
  }
  expect(long).toEqual([]);
});
