import { describe, expect, test } from 'bun:test';
import { inspectCode } from './inspect-code.ts';

const find = async (code: string) =>
  (await inspectCode(code)).map((each) =>
    each.kind === 'import' ? each.specifier : `${each.by}${each.isGuarded ? ' guarded' : ''}`,
  );
const inCall = (code: string) => `export default { fetch() { ${code} } }`;

test.each<[code: string, by: string]>([
  ['eval("1")', 'eval'],
  ['eval(`1`)', 'eval'],
  ['(0, eval)("1")', 'eval'],
  ['globalThis.eval(text)', 'eval'],
  ['new Function("return 1")()', 'Function'],
  ['Function("a", "b")', 'Function'],
  ['new globalThis.Function(text)', 'Function'],
  ['try { eval("1") } finally { }', 'eval'],
  ['try { } catch { eval("1") }', 'eval'],
  ['try { eval("1") } catch (error) { if (error.x) { log(error); throw error } }', 'eval'],
  ['Function.apply(null, names)', 'Function'],
  ['try { eval("1") } catch { }', 'eval guarded'],
  ['try { eval("1") } catch { later(() => { throw 1 }) }', 'eval guarded'],
  ['try { run(() => new Function(text)) } catch { }', 'Function guarded'],
  ['attempt(function () { return Function(text) })', 'Function guarded'],
  ['(() => eval("1"))()', 'eval'],
])('finds %s in a call', async (code, by) => {
  expect(await find(inCall(code))).toEqual([by]);
});

test.each([
  'eval("1")',
  'const run = new Function("return 1");',
  '(function () { eval("1") })()',
  '(() => { eval("1") })()',
  '(function () { eval("1") }).call(globalThis)',
  'var require_x = __commonJS({ "node_modules/x/index.js"(exports, module) { module.exports = new Function("a"); } });',
  'var init_x = __esm({ "x.js"() { eval("1") } });',
  'class A { static x = eval("1"); static { eval("1") } }',
  inCall('Function("return this")()'),
  inCall('new Function("return globalThis;")()'),
  inCall('new Function()'),
  inCall(
    'value.eval("1"); Function.prototype.call(f); typeof Function; x instanceof Function; new eval.thing("1")',
  ),
  inCall('"eval(1)"; /eval(1)/; `eval(1)`; // eval(1)\n/* new Function(1) */'),
  'class Function {} export const make = () => new Function("x");',
  'import { Function } from "./own.js"; export const make = () => Function("x");',
])('finds nothing in %s', async (code) => {
  expect(await find(code)).toEqual([]);
});

test('finds what runs later than the module loads', async () => {
  for (const code of [
    'export const run = (text) => eval(text);',
    'class A { x = eval("1") }',
    'class A { constructor() { eval("1") } }',
    'setTimeout(() => eval("1"))',
    'var require_x = __commonJS({ "x.js"(exports) { exports.run = function () { eval("1") } } });',
    'async function* later() { yield eval("1") }',
  ])
    expect([code, await find(code)]).toEqual([code, ['eval']]);
});

test('finds imports that no bundle can have, in calls and outside of them', async () => {
  const code = `import('https://esm.sh/zod'); export const a = () => import("jsr:@std/path"); import(\`npm:zod@4\`);
    try { await import('http://x.test/a.js') } catch {} import('./own.js'); import('node:fs'); import('cloudflare:workers'); import(url); import(\`https://\${x}\`)`;
  expect(await find(code)).toEqual([
    'https://esm.sh/zod',
    'jsr:@std/path',
    'npm:zod@4',
    'http://x.test/a.js',
  ]);
});

test.each<[name: string, code: string]>([
  ['code that is too long', `${inCall('eval("1")')}//${'x'.repeat(512 * 1024)}`],
  ['code that is not JavaScript', 'const x: string = eval("1")'],
  ['code that is nested too deeply', `() => eval("1"); ${'['.repeat(200_000)}`],
  [
    'a regular expression with many names',
    `() => eval("1"); /${Array.from({ length: 200 }, (_, i) => `(?<a${i}>x)`).join('')}/`,
  ],
])('does not read %s', async (_, code) => {
  expect(await find(code)).toEqual([]);
});

test('reads a tree that is deeper than the stack', async () => {
  expect(await find(`() => { ${'eval("x") + '.repeat(20_000)} 1 }`)).toHaveLength(20_000);
});

describe('code with many names', () => {
  const CALL = 'export const run = () => eval(text);';
  const list = (count: number) => Array.from({ length: count }, (_, at) => `a${at.toString(36)}`);
  const inBlocks = (depth: number, code: string) => '{'.repeat(depth) + code + '}'.repeat(depth);

  test.each([
    ['variables', `${CALL} let ${list(10_000).join()};`],
    [
      'functions',
      `${CALL} ${list(5_000)
        .map((name) => `function ${name}(){}`)
        .join('')}`,
    ],
    ['variables in blocks', `${CALL} ${inBlocks(100, 'var a;'.repeat(1_000))}`],
    ['labels', `${CALL} ${list(500).join(':')}:;`],
    ['exports', `${CALL} var ${list(5_000).join()}; export { ${list(5_000).join()} };`],
  ])('is read: %s', async (_, code) => {
    expect(await inspectCode(code)).toHaveLength(1);
  });

  /** The parser compares each name with all others, which would take it half a minute or gigabytes. */
  test.each([
    ['variables', `${CALL} let ${list(90_000).join()};`],
    [
      'functions',
      `${CALL} ${list(25_000)
        .map((name) => `function ${name}(){}`)
        .join('')}`,
    ],
    ['variables in blocks', `${CALL} ${inBlocks(1_000, 'var a;'.repeat(60_000))}`],
    ['labels', `${CALL} ${list(1_001).join(':')}:;`],
    ['exports', `${CALL} var ${list(40_000).join()}; export { ${list(40_000).join()} };`],
  ])('is not read to its end if there are too many: %s', async (_, code) => {
    expect(code.length).toBeLessThan(512 * 1024);
    expect(await inspectCode(code)).toEqual([]);
  });
});
