import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';
import { startNpmRegistry } from '../../support/functions/npm-registry.ts';

const registry = startNpmRegistry();
const { quire, owner, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

/** A module that says its own name and version. */
const named = (name: string, version: string) => ({
  ...{ name, version },
  files: { 'index.js': `export const me = "${name} ${version}";` },
});
registry.add(
  named('ranged', '1.0.0'),
  named('ranged', '1.2.3'),
  named('ranged', '2.0.0-beta.1'),
  named('ranged', '1.9.0'),
  {
    ...{ name: '@scope/tool', version: '3.1.0' },
    about: { exports: { '.': { workerd: './worker.js', default: './node.js' }, './part': './part.cjs' } },
    files: {
      'worker.js': 'import { me } from "ranged"; export const tool = () => "worker with " + me;',
      'node.js': 'import fs from "node:fs"; export const tool = () => fs.readFileSync("x");',
      'part.cjs': 'const events = require("events"); exports.part = typeof new events().emit;',
    },
    dependencies: { ranged: '^1.0.0 <1.5.0' },
  },
  {
    name: 'with-peer',
    files: { 'index.js': 'import { me } from "ranged"; export const peer = me;' },
    peerDependencies: { ranged: '^1.0.0' },
  },
  {
    name: 'round',
    files: { 'index.js': 'import { b } from "about"; export const a = () => b();' },
    dependencies: { about: '*' },
  },
  {
    name: 'about',
    files: { 'index.js': 'import { a } from "round"; export const b = () => typeof a;' },
    dependencies: { round: '*' },
  },
  {
    name: 'renamed',
    files: { 'index.js': 'export { me } from "other-name";' },
    dependencies: { 'other-name': 'npm:ranged@1.2.3' },
  },
  {
    name: 'with-options',
    files: {
      'index.js':
        'import { me } from "ranged"; let native; try { native = require("native") } catch { native = "none" } export { me, native };',
    },
    optionalDependencies: { ranged: '1.0.0', native: '1', 'no-such-package': '1' },
  },
  { name: 'native', entry: { os: ['linux'] }, files: { 'index.js': 'export default 1' } },
  { name: 'needs-sea', files: { 'index.js': 'import "node:sea"; export default 1;' } },
  {
    name: 'needs-needs-sea',
    files: { 'index.js': 'export { default } from "needs-sea";' },
    dependencies: { 'needs-sea': '1' },
  },
  { name: 'addon', files: { 'index.js': 'export default require("./build/Release/addon.node");' } },
  { name: 'undeclared', files: { 'index.js': 'import "not-a-dependency"; export default 1;' } },
  { name: 'broken-code', files: { 'index.js': 'export const a = ;' } },
  { name: 'from-git', dependencies: { thing: 'github:someone/thing' } },
  { name: 'needs-nothing', dependencies: { 'no-such-package': '1' } },
);

const run = async (imports: string, result: string, fields = {}) =>
  (await call(await deploy(`${imports}\n${handler(`return Response.json(${result})`)}`, fields))).body;

let count = 0;
async function refused(code: string) {
  const slug = `refused-${++count}`;
  const { status, body } = await owner.call('POST', '/api/functions', { body: { slug, code } });
  return { status, ...body };
}

describe('a package', () => {
  test.each([
    ['ranged@1', 'ranged 1.9.0'],
    ['ranged@^1.0.0', 'ranged 1.9.0'],
    ['ranged@~1.2.0', 'ranged 1.2.3'],
    ['ranged@1.0.0', 'ranged 1.0.0'],
    ['ranged@latest', 'ranged 1.9.0'],
    ['ranged', 'ranged 1.9.0'],
    ['ranged@2.0.0-beta.1', 'ranged 2.0.0-beta.1'],
  ])('is imported as npm:%s', async (specifier, me) => {
    expect(await run(`import { me } from "npm:${specifier}";`, 'me')).toBe(me);
  });

  test('has the exports for workers, its dependencies, and modules of Node.js', async () => {
    const imports =
      'import { tool } from "npm:@scope/tool@3";\nimport { part } from "npm:@scope/tool@3/part";';
    expect(await run(imports, '[tool(), part]')).toEqual(['worker with ranged 1.2.3', 'function']);
  });

  test('can be there in two versions, and shares what the code imports as a peer', async () => {
    const imports = `import { me as one } from "npm:ranged@1.0.0";
import { me as two } from 'npm:ranged@1.2.3';
import { peer } from "npm:with-peer@1";`;
    expect(await run(imports, '[one, two, peer]')).toEqual(['ranged 1.0.0', 'ranged 1.2.3', 'ranged 1.2.3']);
  });

  test('can depend on one that depends on it, and know one by another name', async () => {
    const imports = 'import { a } from "npm:round";\nimport { me } from "npm:renamed";';
    expect(await run(imports, '[a(), me]')).toEqual(['function', 'ranged 1.2.3']);
  });

  test('can do without optional ones, and has those that are for workers', async () => {
    const imports = 'import { me, native } from "npm:with-options";';
    expect(await run(imports, '[me, native]')).toEqual(['ranged 1.0.0', 'none']);
  });

  test('can be imported by a file, and later', async () => {
    const files = { 'lib.ts': 'export const load = async () => (await import("npm:ranged@1")).me;' };
    expect(await run('import { load } from "./lib.ts";', 'await load()', { files })).toBe('ranged 1.9.0');
  });

  test('is fetched once, and its versions each time', async () => {
    registry.add(named('kept', '1.0.0'));
    const asked = (path: string) => registry.requests.filter((one) => one === path).length;
    await run('import { me } from "npm:kept@1";', '[me, 1]');
    await run('import { me } from "npm:kept@1";', '[me, 2]');
    expect([asked('/kept'), asked('/kept/-/1.0.0.tgz')]).toEqual([2, 1]);
  });

  test('of one version is asked for by that version', async () => {
    registry.add(named('listless', '1.0.0'), named('listless', '1.1.0'));
    expect(await run('import { me } from "npm:listless@1.0.0";', 'me')).toBe('listless 1.0.0');
    expect(await run('import { me } from "npm:listless";', 'me')).toBe('listless 1.1.0');
    expect(registry.requests.filter((path) => /^\/listless(\/\d|\/latest|$)/.test(path))).toEqual([
      '/listless/1.0.0',
      '/listless/latest',
    ]);
  });

  test('of one version is found in the list if the registry has only lists', async () => {
    registry.add(named('only-list', '1.0.0'), named('only-list', '1.1.0'));
    registry.answer('/only-list/1.0.0', () => new Response(null, { status: 404 }));
    registry.answer('/only-list/latest', () => Response.json({ name: 'another', version: '6.6.6' }));
    expect(await run('import { me } from "npm:only-list@1.0.0";', 'me')).toBe('only-list 1.0.0');
    expect(await run('import { me } from "npm:only-list";', 'me')).toBe('only-list 1.1.0');
  });

  test('uses an optional peer if the code imports it', async () => {
    registry.add({
      name: 'adapts',
      files: {
        'index.js': 'export const plain = 1;',
        'to-ranged.js': 'export { me as adapted } from "ranged";',
      },
      peerDependencies: { ranged: '>=1' },
      entry: { peerDependenciesMeta: { ranged: { optional: true } } },
    });
    const adapted = 'import { adapted } from "npm:adapts/to-ranged.js";';
    expect(await run(`${adapted} import "npm:ranged@1.2.3";`, 'adapted')).toBe('ranged 1.2.3');
    expect(await run('import { plain } from "npm:adapts";', 'plain')).toBe(1);
  });

  test('in a comment is not needed', async () => {
    expect(await run('// import x from "npm:no-such-package";', '1')).toBe(1);
  });
});

describe('a package that cannot be used', () => {
  const cases: Array<[string, string, RegExp]> = [
    ['is not found', 'no-such-package@1', /^The package no-such-package was not found in the registry\./],
    ['has no such version', 'ranged@7', /^The package ranged has no version 7\. The latest is 1\.9\.0\./],
    ['has no such tag', 'ranged@nightly', /^The package ranged has no version nightly\./],
    ['has no such part', 'ranged@1/part', /^The package ranged@1\.9\.0 has no module "part"\./],
    ['is not a name', 'UP CASE@1', /is not a package\. Write its name and a version/],
    [
      'needs what the runtime lacks',
      'needs-sea@1',
      /^The package needs-sea@1\.0\.0 needs node:sea\. Functions do not have this module of Node\.js\./,
    ],
    ['needs one that does', 'needs-needs-sea@1', /^The package needs-sea@1\.0\.0 needs node:sea\./],
    [
      'is native code',
      'addon@1',
      /^The package addon@1\.0\.0 has native code \(\.\/build\/Release\/addon\.node\)\. Functions run JavaScript and WebAssembly only\./,
    ],
    [
      'imports what it does not name',
      'undeclared@1',
      /^The package undeclared@1\.0\.0 imports "not-a-dependency"/,
    ],
    [
      'is not JavaScript',
      'broken-code@1',
      /^The package broken-code@1\.0\.0 cannot be compiled: Unexpected ";"/,
    ],
    [
      'depends on a repository',
      'from-git@1',
      /^The package from-git@1\.0\.0 needs thing from github:someone\/thing/,
    ],
    [
      'depends on one that is not found',
      'needs-nothing@1',
      /^The package needs-nothing@1\.0\.0 needs no-such-package, which cannot be used: .* not found/,
    ],
  ];
  test.each(cases)('because it %s is named, at the line of its import', async (_, specifier, message) => {
    const answer = await refused(
      `// first line\nimport x from "npm:${specifier}";\n${handler('return Response.json(x)')}`,
    );
    expect(answer).toMatchObject({ status: 422, code: 'DEPLOY_FAILED', line: 2, column: 15 });
    expect(answer.error).toMatch(message);
    expect(answer.error).toMatch(/ \(line 2, column 15\)$/);
  });

  test('because it is not found is named even if nothing uses it, unless only its types are imported', async () => {
    const unused = 'import { Thing } from "npm:no-such-package@1";';
    for (const typed of ['', ': Thing']) {
      const answer = await refused(`${unused}\n${handler(`let x${typed}; return Response.json(1)`)}`);
      expect(answer).toMatchObject({ status: 422, code: 'DEPLOY_FAILED', line: 1, column: 23 });
      expect(answer.error).toMatch(/^The package no-such-package was not found in the registry\./);
    }
    expect(await run('import type { Thing } from "npm:no-such-package@1"; let x: Thing;', '1')).toBe(1);
  });

  test('because it is not named as one says how', async () => {
    const { error } = await refused(`import { z } from "ranged";\n${handler('return z')}`);
    expect(error).toBe(
      'No such module "ranged". Packages are imported with npm: and a version, for example "npm:ranged@1". (line 1, column 19)',
    );
  });

  test('because the registry does not answer is a reason to try again', async () => {
    registry.answer('/unavailable', () => new Response(null, { status: 500 }));
    const answer = await refused(`import "npm:unavailable@1";\n${handler('')}`);
    expect(answer).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(answer.error).toBe(
      'The registry did not send the versions of unavailable: it answered with status 500. Try again in a moment.',
    );
  });
});

test('a deploy that takes long does not change another function that has the slug meanwhile', async () => {
  const code = (text: string) => handler(`return new Response("${text}")`);
  const create = (text: string) =>
    owner.call('POST', '/api/functions', { body: { slug: 'replaced', code: code(text) } });
  await create('first');
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<Response>();
  registry.answer('/gated', () => {
    asked.resolve();
    return gate.promise;
  });
  const patch = { code: `import "npm:gated@1"; ${code('late')}` };
  const late = owner.call('PATCH', '/api/functions/replaced', { body: patch });
  await asked.promise;
  await owner.call('DELETE', '/api/functions/replaced');
  expect((await create('second')).status).toBe(201);
  gate.resolve(Response.json(await (await fetch(`${registry.url}/ranged`)).json()));
  expect((await late).status).toBe(404);
  const { body } = await owner.call('GET', '/api/functions/replaced/versions');
  expect(body.versions).toHaveLength(1);
});

test('a bundle has at most 5 MB', async () => {
  const big = (letters: number) => `export const text = "${'x'.repeat(letters)}";`;
  registry.add(
    { name: 'large', version: '1.0.0', files: { 'index.js': big(5_000_000) } },
    { name: 'large', version: '2.0.0', files: { 'index.js': big(5 * 1024 * 1024) } },
  );
  const code = (version: number) =>
    `import { text } from "npm:large@${version}";\n${handler('return Response.json(text.length)')}`;
  expect((await call(await deploy(code(1)))).body).toBe(5_000_000);
  const { status, error } = await refused(code(2));
  expect([status, error]).toEqual([
    422,
    expect.stringMatching(
      /^The bundle of the code and its packages has 5,\d+,\d+ bytes; at most 5,242,880 are allowed\. The largest: large@2\.0\.0 \(5,\d+,\d+\), function\.ts \(\d+\)\./,
    ),
  ]);
});

test('a deploy says how large the bundle is, and what makes it large', async () => {
  registry.add(
    { name: '@scope/small', files: { 'index.js': `export const small = "${'s'.repeat(1_000)}";` } },
    {
      name: 'middle',
      about: { type: 'commonjs' },
      files: {
        'index.js':
          'exports.middle = require("./lib/a.js") + require("./lib/b.js") + require("@scope/small").small;',
        'lib/a.js': `module.exports = "${'a'.repeat(20_000)}";`,
        'lib/b.js': `module.exports = "${'b'.repeat(20_000)}";`,
      },
      dependencies: { '@scope/small': '1' },
    },
  );
  const code = `import { middle } from "npm:middle@1"; import data from "./data.json";\n${handler('return Response.json(middle + data.x)')}`;
  const files = { 'data.json': JSON.stringify({ x: 'y'.repeat(5_000) }) };
  const created = await owner.call('POST', '/api/functions', { body: { slug: 'sized', code, files } });
  const { bundle } = created.body;
  expect(bundle.largest.map(({ name }: { name: string }) => name)).toEqual([
    'middle@1.0.0',
    'data.json',
    '@scope/small@1.0.0',
    'function.ts',
  ]);
  expect(bundle.largest[0].size).toBeWithin(40_000, 41_000);
  expect(bundle.size).toBeWithin(46_000, 49_000);
  const patch = (body: object) => owner.call('PATCH', '/api/functions/sized', { body });
  expect((await patch({ displayName: 'x' })).body.bundle).toBeUndefined();
  expect((await patch({ code: `${code} // changed` })).body.bundle).toEqual(bundle);
});

test('a package whose native parts are missing is refused with the reason', async () => {
  registry.add({
    name: 'half-native',
    files: { 'index.js': 'throw new Error("Could not load the module");' },
    optionalDependencies: { native: '1' },
  });
  const { status, error } = await refused(`import "npm:half-native@1";\n${handler('')}`);
  expect([status, error]).toEqual([
    422,
    expect.stringContaining(
      'Could not load the module. The package half-native@1.0.0 has native code, and functions run JavaScript and WebAssembly only.',
    ),
  ]);
});

test('packages can be turned off', async () => {
  const off = await functionApp({ QUIRE_NPM_REGISTRY: 'off' });
  const code = `import { me } from "npm:ranged@1";\n${handler('return new Response(me)')}`;
  const { status, body } = await off.owner.call('POST', '/api/functions', { body: { slug: 'off', code } });
  await off.quire.stop();
  expect([status, body.error]).toEqual([
    422,
    'The operator of this server has turned npm packages off. (line 1, column 20)',
  ]);
});

test('what a package passes on is there, also if another module of it imports the same in a call', async () => {
  registry.add(
    {
      ...{
        name: 'passes-on',
        about: { sideEffects: false, exports: { '.': './index.js', './later': './later.js' } },
      },
      files: {
        'index.js': 'export const load = () => import("given");',
        'later.js': 'export * from "given";',
      },
      dependencies: { given: '1' },
    },
    { name: 'given', files: { 'index.js': 'export const gift = () => "a gift";' } },
  );
  const imports = `import { load } from 'npm:passes-on@1'; import { gift } from 'npm:passes-on@1/later';`;
  const slug = await deploy(`${imports} ${handler('return Response.json([gift(), (await load()).gift()])')}`);
  expect((await call(slug)).body).toEqual(['a gift', 'a gift']);
});
