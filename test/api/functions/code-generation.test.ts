import { afterAll, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, deploy, call } = await functionApp();
afterAll(() => quire.stop());

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
