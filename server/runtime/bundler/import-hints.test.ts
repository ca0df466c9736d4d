import { expect, test } from 'bun:test';
import { hintImport } from './import-hints.ts';
import { explainMissingModule } from './missing-module.ts';

test.each([
  ['https://esm.sh/zod@4', '"npm:zod@4"'],
  ['https://esm.sh/v135/@scope/tool@1.2.3/part', '"npm:@scope/tool@1.2.3/part"'],
  ['https://unpkg.com/preact', '"npm:preact"'],
  ['https://cdn.jsdelivr.net/npm/lodash-es@4.17.21/+esm', '"npm:lodash-es@4.17.21"'],
  ['https://cdn.skypack.dev/dayjs@1/index.js', '"npm:dayjs@1"'],
  ['https://deno.land/std@0.200.0/http/mod.ts', 'Add the module to files'],
  ['https://esm.sh/jsr/@std/encoding', 'Add the module to files'],
  ['jsr:@std/encoding@1', 'not from JSR'],
])('says what to write instead of %s', (specifier, hint) => {
  expect(hintImport(specifier)).toContain(hint);
});

test('leaves other imports and messages alone', () => {
  expect(hintImport('zod')).toBeUndefined();
  const source = { code: '\nimport "https://esm.sh/zod@4";', files: {} };
  expect(explainMissingModule('SyntaxError: x', source)).toBeUndefined();
  expect(explainMissingModule('No such module "https:/esm.sh/zod@4".', source)).toMatchObject({
    message:
      'No such module "https://esm.sh/zod@4". Functions do not import from addresses. Write "npm:zod@4".',
    location: { line: 2, column: 8 },
  });
});
