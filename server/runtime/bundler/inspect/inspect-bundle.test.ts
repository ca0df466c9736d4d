import { expect, test } from 'bun:test';
import { inspect } from './inspect-bundle.ts';

const IN_CALL = 'var make = (text) => new Function(text);\n';
const file = (index: number, name: string, code = IN_CALL) =>
  `// node_modules/.q/${index}/node_modules/${name}/index.js\n${code}`;

test('names the places in code that runs as it was sent', async () => {
  const code = 'export default {\n  fetch: () => eval("1"),\n};\n';
  expect(await inspect({ code })).toEqual({
    generated: [{ by: 'eval', location: { file: 'function.ts', line: 2, column: 16 } }],
  });
  expect((await inspect({ code: 'a = () => eval(b);'.repeat(100) })).generated).toHaveLength(5);
});

test('names each package that the code imports once, and none of their dependencies', async () => {
  const packages = ['ejs@3.1.10', 'depd@2.0.0', 'ajv@8.0.0', 'zod@4.0.0'];
  const guarded = 'var probe = () => { try { new Function("x") } catch {} };\n';
  const code = [
    file(0, 'ejs'),
    file(0, 'ejs'),
    file(1, 'depd'),
    file(2, 'ajv'),
    file(3, 'zod', guarded),
  ].join('');
  expect(await inspect({ code, sourceMap: null, packages, direct: [0, 2, 3] })).toEqual({
    generated: [
      { by: 'Function', packageName: 'ejs@3.1.10' },
      { by: 'Function', packageName: 'ajv@8.0.0' },
    ],
  });
});

test("does not refuse what a package imports, but what the owner's code imports", async () => {
  const imports = 'import("https://x.test/a.js");\n';
  const order = { sourceMap: null, packages: ['a@1.0.0'], direct: [0] };
  expect(await inspect({ ...order, code: file(0, 'a', imports) })).toEqual({ generated: [] });
  expect(await inspect({ ...order, code: `// source/lib/x.ts\n${imports}` })).toEqual({
    generated: [],
    missing: { specifier: 'https://x.test/a.js', location: { file: 'lib/x.ts', line: 1, column: 1 } },
  });
});
