import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';
import { startNpmRegistry } from '../../support/functions/npm-registry.ts';

const registry = startNpmRegistry();
const { quire, owner, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

const named = (name: string, version: string) => ({
  ...{ name, version },
  files: { 'index.js': `export const me = "${name} ${version}";` },
});
/** A library for JSX that makes text of it. */
const jsx = (name: string, version: string) => ({
  ...{ name, version },
  files: {
    'index.js':
      'export const createElement = (tag, props, ...inner) => ["<", tag, ">", ...inner, "</", tag, ">"].join("");',
    'jsx-runtime.js': `export const jsx = (tag, { children = "" }) => \`<\${tag} by="${name} ${version}">\${children}</\${tag}>\`;
export const jsxs = jsx, Fragment = "fragment";`,
  },
  about: { exports: { '.': './index.js', './jsx-runtime': './jsx-runtime.js' } },
});
registry.add(
  named('tool', '1.0.0'),
  named('tool', '2.3.0'),
  { ...named('uses-tool', '1.0.0'), dependencies: { tool: '1' } },
  named('young', '0.4.2'),
  named('events', '3.0.0'),
  jsx('preact', '10.0.0'),
  jsx('react', '19.0.0'),
);
registry.add({
  name: 'uses-tool',
  version: '1.1.0',
  dependencies: { tool: '1' },
  files: { 'index.js': 'export { me } from "tool";' },
});

const run = async (code: string, files = {}) => (await call(await deploy(code, { files }))).body;
let count = 0;
async function refused(code: string, files = {}) {
  const slug = `refused-${++count}`;
  const { status, body } = await owner.call('POST', '/api/functions', { body: { slug, code, files } });
  return { status, ...body };
}
const packageJson = (dependencies: object, more: object = {}) => ({
  'package.json': JSON.stringify({ name: 'mine', dependencies, ...more }),
});
const respond = (result: string) => handler(`return Response.json(${result})`);

describe('package.json', () => {
  test('gives the versions of packages, for the code only', async () => {
    const code = `import { me } from "tool"; import { me as other } from 'uses-tool'; import latest from "events";
import * as kept from "npm:tool"; ${respond('[me, other, latest === undefined, kept.me]')}`;
    const files = packageJson({ tool: '^1.0.0', 'uses-tool': '1', unused: 'no-such-version' });
    expect(await run(code.replace('latest from "events"', 'latest from "node:events"'), files)).toEqual([
      'tool 1.0.0',
      'tool 1.0.0',
      false,
      'tool 1.0.0',
    ]);
    const newer = `import { me } from "tool"; import { me as other } from 'uses-tool'; ${respond('[me, other]')}`;
    expect(await run(newer, packageJson({ tool: '2.3.0', 'uses-tool': '*' }))).toEqual([
      'tool 2.3.0',
      'tool 1.0.0',
    ]);
  });

  test('can rename a package, have it for development, and one with the name of a module of Node.js', async () => {
    const code = `import { me } from "renamed"; import { me as dev } from "tool"; import { me as events } from "events";
import { EventEmitter } from "node:events"; ${respond('[me, dev, events, typeof EventEmitter]')}`;
    const files = packageJson({ renamed: 'npm:tool@1', events: '3' }, { devDependencies: { tool: '2' } });
    expect(await run(code, files)).toEqual(['tool 1.0.0', 'tool 2.3.0', 'events 3.0.0', 'function']);
  });

  test('is named if it is not valid, and so is a version that is not there', async () => {
    expect(await refused(`import "tool"; ${respond('1')}`, { 'package.json': '{' })).toMatchObject({
      status: 422,
      file: 'package.json',
    });
    const { error } = await refused(`import "tool"; ${respond('1')}`, packageJson({ tool: '^7' }));
    expect(error).toStartWith('The package tool has no version ^7. The latest is 2.3.0.');
  });
});

describe('an import that is not there says what to write', () => {
  test.each([
    ['tool', 'for example "npm:tool@2"'],
    ['young/part', 'for example "npm:young@0.4"'],
    ['no-such-package', 'for example "npm:zod@4"'],
    ['jsr:@std/encoding@1', 'Functions import from npm, not from JSR.'],
    ['https://esm.sh/tool@1', 'Write "npm:tool@1".'],
    ['https://example.com/x.js', 'Add the module to files'],
  ])('%s', async (specifier, hint) => {
    for (const files of [{}, { 'x.ts': '' }]) {
      const answer = await refused(`\nimport "${specifier}"; ${respond('1')}`, files);
      expect(answer).toMatchObject({ status: 422, code: 'DEPLOY_FAILED', line: 2 });
      expect(answer.error).toStartWith(`No such module "${specifier}".`);
      expect(answer.error).toContain(hint);
    }
  });
});

describe('an import in a call says what to write when the function is deployed', () => {
  const later = (expression: string) =>
    `\nexport default { async fetch() { ${expression}; return new Response("x") } };`;
  test.each([
    ['jsr:@std/encoding@1', 'Functions import from npm, not from JSR.'],
    ['https://esm.sh/tool@1', 'Write "npm:tool@1".'],
    ['https://example.com/x.js', 'Add the module to files'],
    ['npm:absent@1', 'absent'],
    ['npm:tool@9', 'has no version 9'],
    ['npm:@', 'is not a package'],
  ])('%s', async (specifier, hint) => {
    for (const files of [{}, { 'x.ts': '' }])
      for (const expression of [
        `await import("${specifier}")`,
        `try { await import('${specifier}') } catch {}`,
        `await import(\`${specifier}\`).catch(() => 0)`,
      ]) {
        const answer = await refused(later(expression), files);
        expect([expression, answer]).toMatchObject([
          expression,
          { status: 422, code: 'DEPLOY_FAILED', line: 2 },
        ]);
        expect(answer.error).toContain(hint);
      }
  });

  test('in another file, it names that file', async () => {
    const files = {
      'lib/a.ts': 'const a: number = 1;\nexport const load = () => import("https://esm.sh/tool@1");',
    };
    const answer = await refused(`import { load } from "./lib/a.ts"; ${respond('await load()')}`, files);
    expect(answer).toMatchObject({ status: 422, file: 'lib/a.ts', line: 2, column: 27 });
  });

  test('is fine if the package is there', async () => {
    for (const quote of ["'", '"', '`'])
      expect(await run(respond(`(await import(${quote}npm:tool@1${quote})).me`), {})).toBe('tool 1.0.0');
  });
});

describe('JSX', () => {
  const view = 'export const view = (name: string) => <p>{name}</p>;';
  const main = `import { view } from "./view.tsx"; ${respond('view("Ada")')}`;
  const byPreact = '<p by="preact 10.0.0">Ada</p>';
  const tsconfig = (options: object) => ({ 'tsconfig.json': JSON.stringify({ compilerOptions: options }) });

  test.each([
    ['a comment with a version', `/** @jsxImportSource npm:preact@10 */\n${view}`, {}],
    ['a comment and package.json', `/** @jsxImportSource preact */\n${view}`, packageJson({ preact: '10' })],
    ['a comment and an import', `/** @jsxImportSource preact */\nimport "npm:preact@10"; ${view}`, {}],
    [
      'tsconfig.json',
      view,
      { ...packageJson({ preact: '10' }), ...tsconfig({ jsx: 'react-jsx', jsxImportSource: 'preact' }) },
    ],
  ])('comes from %s', async (_, module, files) => {
    expect(await run(main, { 'view.tsx': module, ...files })).toBe(byPreact);
  });

  test('comes from React or another function of the module', async () => {
    const react = `import * as React from "npm:react@19"; ${view}`;
    expect(await run(main, { 'view.tsx': react })).toBe('<p>Ada</p>');
    const own = `/** @jsx make */ const make = (tag: string, _: null, inner: string) => tag + inner; ${view}`;
    expect(await run(main, { 'view.tsx': own })).toBe('pAda');
  });

  test('can be in the main module, beside types', async () => {
    const code = `/** @jsxImportSource npm:preact@10 */
const same = <T,>(x: T): T => x;
${respond('same<string>(<p>Ada</p> as string)')}`;
    expect(await run(code)).toBe(byPreact);
  });

  test.each([
    ['nothing says where it comes from', view],
    ['the function of a comment is missing', `/** @jsx h */ ${view}`],
  ])('is refused when deployed if %s', async (_, module) => {
    const answer = await refused(main, { 'view.tsx': module });
    expect(answer).toMatchObject({ status: 422, file: 'view.tsx', line: 1 });
    expect(answer.error).toStartWith('JSX needs a library.');
  });

  test('paths of tsconfig.json are followed', async () => {
    const files = { 'lib/x.ts': 'export const x = "found";', ...tsconfig({ paths: { '@/*': ['./lib/*'] } }) };
    expect(await run(`import { x } from "@/x"; ${respond('x')}`, files)).toBe('found');
  });
});

describe('a file', () => {
  /** (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)) */
  const ADD = 'AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=';
  const add = 'new WebAssembly.Instance(module).exports.add(2, 3)';

  test('of WebAssembly is a module, also in a package', async () => {
    expect(
      await run(
        `import module from "./lib/add.wasm"; ${respond(`[module instanceof WebAssembly.Module, ${add}]`)}`,
        {
          'lib/add.wasm': ADD,
        },
      ),
    ).toEqual([true, 5]);
    const archive = [
      { path: 'package/package.json', content: '{"name":"adds","version":"1.0.0","main":"index.js"}' },
      { path: 'package/add.wasm', content: Buffer.from(ADD, 'base64').toString('latin1') },
      { path: 'package/index.js', content: `import module from "./add.wasm"; export const sum = ${add};` },
    ];
    registry.add({ name: 'adds', archive });
    expect(await run(`import { sum } from "npm:adds@1"; ${respond('sum')}`)).toBe(5);
  });

  test('that is not WebAssembly is refused', async () => {
    const code = `import module from "./x.wasm"; ${respond('1')}`;
    expect(await refused(code, { 'x.wasm': 'hello' })).toMatchObject({ status: 422, file: 'x.wasm' });
    const damaged = Buffer.from('\0asm and more').toString('base64');
    expect(await refused(code.replace('1)', 'module)'), { 'x.wasm': damaged })).toMatchObject({
      status: 422,
    });
  });

  test('of text or JSON is a module', async () => {
    const files = { 'a.txt': 'text', 'b.html': '<p>', 'c.sql': 'SELECT 1', 'd.json': '{"x":[1]}' };
    const code = `import a from "./a.txt"; import b from "./b.html"; import c from "./c.sql"; import d from "./d.json";
${respond('[a, b, c, d.x]')}`;
    expect(await run(code, files)).toEqual(['text', '<p>', 'SELECT 1', [1]]);
  });
});
