import { expect, test } from 'bun:test';
import { inputSchemaFault } from '../rules/json/input-schema.ts';
import { findInputFaults, MAX_INPUT_STEPS } from './input-faults.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** Schema of one argument, what it accepts, and what it refuses with which words. */
const CASES: [schema: object, fit: unknown[], unfit: [unknown, string][]][] = [
  [
    { type: 'string' },
    ['', 'a'],
    [
      [1, 'must be string'],
      [null, 'must be string'],
      [['a'], 'must be string'],
    ],
  ],
  [{ type: ['string', 'null'] }, ['a', null], [[0, 'must be string or null']]],
  [
    { type: 'integer' },
    [1, -2, 1.0],
    [
      [1.5, 'must be integer'],
      ['1', 'must be integer'],
    ],
  ],
  [{ type: 'boolean' }, [true, false], [['true', 'must be boolean']]],
  [
    { type: 'object' },
    [{}],
    [
      [[], 'must be object'],
      [null, 'must be object'],
    ],
  ],
  [
    { minLength: 2, maxLength: 3 },
    ['ab', '😀😀😀', 5],
    [
      ['a', 'at least 2'],
      ['abcd', 'at most 3'],
    ],
  ],
  [{ pattern: '^a+$' }, ['aa', 1], [['ab', 'must match']]],
  [
    { minimum: 1, maximum: 3 },
    [1, 3, 'x'],
    [
      [0.9, 'at least 1'],
      [3.1, 'at most 3'],
    ],
  ],
  [
    { exclusiveMinimum: 1, exclusiveMaximum: 3 },
    [2],
    [
      [1, 'more than 1'],
      [3, 'less than 3'],
    ],
  ],
  [{ multipleOf: 5 }, [10, 0, -5], [[7, 'a multiple of 5']]],
  [
    { enum: ['a', { x: 1, y: 2 }] },
    ['a', { y: 2, x: 1 }],
    [
      ['b', 'one of "a"'],
      [{ x: 1 }, 'one of'],
    ],
  ],
  [
    { const: 0 },
    [0],
    [
      [-1, 'must be one of 0'],
      [false, 'must be one of 0'],
    ],
  ],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6, null], [[4, 'none of the forms']]],
  [{ oneOf: [{ type: 'number' }, { minimum: 5 }] }, [4, 'a'], [[6, 'exactly one']]],
  [
    { minItems: 1, maxItems: 2 },
    [[1], [1, 2]],
    [
      [[], 'at least 1 items'],
      [[1, 2, 3], 'at most 2 items'],
    ],
  ],
  [
    { uniqueItems: true },
    [[1, '1'], []],
    [
      [[1, 1], 'twice'],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        'twice',
      ],
    ],
  ],
];

test.each(CASES)('%j', (schema, fit, unfit) => {
  const whole = object({ x: schema });
  expect(inputSchemaFault(whole)).toBeUndefined();
  for (const x of fit) expect([x, findInputFaults(whole, { x })]).toEqual([x, []]);
  for (const [x, words] of unfit)
    expect(findInputFaults(whole, { x })).toMatchObject([
      { path: 'x', message: expect.stringContaining(words) },
    ]);
});

test('a fault has the path of the value, at any depth', () => {
  const item = object({ name: { type: 'string' } }, { required: ['name'], additionalProperties: false });
  const schema = object({ items: { type: 'array', items: item } }, { required: ['items', 'total'] });
  const paths = (input: unknown) => findInputFaults(schema, input).map(({ path }) => path);
  expect(paths({ items: [{ name: 'a' }, { name: 1, more: 2 }, {}] })).toEqual([
    'total',
    'items.1.name',
    'items.1.more',
    'items.2.name',
  ]);
  expect(paths({ items: [], total: 0, others: 'are allowed' })).toEqual([]);
  expect(paths([])).toEqual(['']);
  expect(paths(JSON.parse('{"items":[],"total":0,"__proto__":{"x":1}}'))).toEqual([]);
  const extra = object({}, { additionalProperties: { type: 'number' } });
  expect(findInputFaults(extra, { a: 1, b: 'x' }).map(({ path }) => path)).toEqual(['b']);
});

test('has at most 50 faults, and takes a bounded number of steps', () => {
  const many = { type: 'array', items: { type: 'number' } };
  const faults = findInputFaults(object({ x: many }), { x: Array(60).fill('a') });
  expect(faults).toHaveLength(50);
  // The object, its field and the list are steps too.
  const fit = Array(MAX_INPUT_STEPS - 3).fill(1);
  expect(findInputFaults(object({ x: many }), { x: fit })).toEqual([]);
  expect(findInputFaults(object({ x: many }), { x: [...fit, 1] })[0]?.message).toContain('too large');
  const costly = [
    { uniqueItems: true },
    { enum: ['a'] },
    { maxLength: 1 },
    { anyOf: [{ items: { type: 'string' } }, { items: { enum: [{ a: [1] }] } }] },
  ];
  for (const each of costly) {
    const schema = object({ x: { anyOf: Array(100).fill({ ...each, minItems: 5 }) } });
    for (const x of ['y'.repeat(2_000_000), Array(200_000).fill([[1]])]) {
      const [first] = findInputFaults(schema, { x });
      expect(first === undefined || /too large|none/.test(first.message)).toBe(true);
    }
  }
});

test('a list of missing fields, or of types, takes as many steps as it has items', () => {
  const items = Array.from({ length: MAX_INPUT_STEPS / 2 }, () => ({}));
  const fields = Array.from({ length: 1_000 }, (_, at) => `f${at}`);
  const tooLarge = [{ path: '', message: 'is too large to be checked' }];
  const many = object({ list: { type: 'array', items: { type: 'object', required: fields } } });
  expect(inputSchemaFault(many)).toBeUndefined();
  expect(findInputFaults(many, { list: items })).toMatchObject(tooLarge);
  expect(findInputFaults(many, { list: [{}] })[0]).toMatchObject({
    path: 'list.0.f0',
    message: 'is required',
  });
  const type = Array.from({ length: 800 }, () => 'null');
  const odd = object({ list: { type: 'array', items: { type } } });
  expect(inputSchemaFault(odd)).toBeUndefined();
  expect(findInputFaults(odd, { list: items })).toMatchObject(tooLarge);
});
