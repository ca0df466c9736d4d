import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';
import { startNpmRegistry } from '../../support/functions/npm-registry.ts';

const registry = startNpmRegistry();
const { quire, owner, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

const ADD = 'AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=';
const WAYS: Array<[way: string, code: string]> = [
  ['eval', 'eval("2 + 3")'],
  ['new Function', 'new Function("return 2 + 3")()'],
  [
    'WebAssembly',
    `new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.fromBase64("${ADD}"))).exports.add(2, 3)`,
  ],
];

test.each(WAYS)('%s works while the module loads', async (_, code) => {
  const slug = await deploy(`const sum = ${code}; ${handler('return Response.json(sum)')}`);
  expect((await call(slug)).body).toBe(5);
});

test.each(WAYS)('%s in a call says that it works only while the module loads', async (_, code) => {
  const slug = await deploy(handler(`return Response.json(${code})`));
  const { body } = await owner.call('POST', `/api/functions/${slug}/test`, { body: {} });
  expect(body.exception.message).toContain('work only while the module loads');
  expect(body.exception.stack).toMatch(/at Object\.fetch|at .*function\.js/);
});

describe('a deploy', () => {
  let count = 0;
  const warnings = async (code: string, files?: Record<string, string>) => {
    const slug = `warned-${++count}`;
    const { status, body } = await owner.call('POST', '/api/functions', {
      body: { slug, code, ...(files && { files }) },
    });
    expect(status).toBe(201);
    return body.warnings;
  };

  test('warns of eval in a call, with its place', async () => {
    const code = `const once = eval('1');\n${handler('return Response.json(eval(await request.text()))')}`;
    const message = expect.stringContaining('works only while the module loads');
    expect(await warnings(code)).toEqual([
      {
        ...{
          code: 'CODE_GENERATION',
          message,
          text: expect.stringContaining('{by}'),
          values: { by: 'eval' },
        },
        ...{ line: 2, column: (code.split('\n')[1]?.indexOf('eval(') as number) + 1 },
      },
    ]);
    const module = 'export const make = (text: string): unknown =>\n  new Function(text);';
    const main = `import { make } from './make.ts'; ${handler('return Response.json(make("return 1"))')}`;
    expect(await warnings(main, { 'make.ts': module })).toMatchObject([
      { file: 'make.ts', line: 2, column: 3, values: { by: 'new Function' } },
    ]);
  });

  test('says nothing of code that is made while the module loads', async () => {
    expect(
      await warnings(`const sum = new Function('return 5')(); ${handler('return Response.json(sum)')}`),
    ).toBeUndefined();
    expect(await warnings(handler('/* new Function(1) */ return new Response("eval(1)")'))).toBeUndefined();
  });

  test('names a package that makes code, but not one that only tries to, nor a dependency', async () => {
    const makes = 'export const make = (text) => new Function(text);';
    registry.add(
      { name: 'templates', version: '1.0.0', files: { 'index.js': makes } },
      {
        name: 'probes',
        version: '1.0.0',
        files: {
          'index.js':
            'export const can = () => { try { return !!new Function("1") } catch { return false } };',
        },
      },
      {
        ...{ name: 'uses-templates', version: '1.0.0' },
        ...{
          files: { 'index.js': 'export { make as render } from "templates";' },
          dependencies: { templates: '1' },
        },
      },
    );
    const use = (name: string) =>
      `import * as p from 'npm:${name}@1'; ${handler('return Response.json(Object.keys(p))')}`;
    expect(await warnings(use('templates'))).toMatchObject([
      { values: { name: 'templates@1.0.0', by: 'new Function' } },
    ]);
    expect(await warnings(use('probes'))).toBeUndefined();
    expect(await warnings(use('uses-templates'))).toBeUndefined();
  });
});
