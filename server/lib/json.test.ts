import { describe, expect, test } from 'bun:test';
import { MAX_JSON_DEPTH, MAX_JSON_FIELDS, MAX_JSON_VALUES, parseJson } from './json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('numbers', () => {
  const kept = [
    '9007199254740992',
    '-9007199254740991',
    '100000000000000000000',
    '1152921504606847000',
    '1e300',
    '1e+000000001',
    '0.12345678901234567890',
    '123456789012345678901.5',
    '["9007199254740993"]',
    '{"a\\\\":"9007199254740993","b":"\\"1e999"}',
    '{"9007199254740993":1}',
  ];
  test.each(kept)('%s is accepted', (text) => {
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
  });

  const refused = [
    '9007199254740993',
    '[-9007199254740993]',
    '1e400',
    '{"a":-1e999}',
    '["\\\\",9007199254740993]',
    '9'.repeat(400),
    `${'9'.repeat(400)}.5`,
    '1'.repeat(5_000_000),
    `1${'0'.repeat(5_000_000)}`,
  ];
  test.each(refused.map((text) => [text.slice(0, 30), text]))('%s is refused', (_, text) => {
    expect(() => parseJson(bytes(text))).toThrow('too large to be kept exactly');
  });

  test('can be rounded on request', () => {
    expect(parseJson('[9007199254740993]', { rounds: true })).toEqual([9007199254740992]);
  });
});

describe('depth', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  test('is accepted up to the limit', () => {
    expect(parseJson(bytes(nested(MAX_JSON_DEPTH)))).toBeArray();
    expect(parseJson(`[${`${nested(MAX_JSON_DEPTH - 1)},`.repeat(1_000)}1]`)).toHaveLength(1_001);
  });
  test.each([MAX_JSON_DEPTH + 1, 1_000_000])('is refused at %d', (levels) => {
    expect(() => parseJson(bytes(nested(levels)))).toThrow('nested more than 64 levels deep');
    expect(() => parseJson('{"a":'.repeat(levels))).toThrow('nested more than 64 levels deep');
  });
  test('does not count brackets in strings', () => {
    const text = JSON.stringify({ html: '[[[[{{{{\\"'.repeat(10_000) });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe('values', () => {
  const rows: Array<[string, (count: number) => string]> = [
    ['numbers', (count) => `[${'1,'.repeat(count - 2)}1]`],
    ['texts', (count) => `[${'"",'.repeat(count - 2)}""]`],
    ['words', (count) => `[${'true,'.repeat(count - 2)}null]`],
    ['arrays', (count) => `[${'[],'.repeat(count - 2)}[]]`],
    ['objects', (count) => `[${'{},'.repeat(count - 2)}{}]`],
    [
      'fields, without their names',
      (count) => `[${'{"a":1},'.repeat((count - 2) / 2)}1${',1'.repeat(count % 2)}]`,
    ],
  ];
  test.each(rows)('are accepted up to the limit and not above it: %s', (_, make) => {
    expect(parseJson(bytes(make(MAX_JSON_VALUES)))).toBeObject();
    expect(() => parseJson(bytes(make(MAX_JSON_VALUES + 1)))).toThrow('has more than 200,000 values');
  });
});

describe('fields of one object', () => {
  const fields = (count: number) => `{${'"a":1,'.repeat(count - 1)}"a":1}`;
  test('are accepted up to the limit, in each object', () => {
    expect(parseJson(`[${fields(MAX_JSON_FIELDS)},{"a":${fields(MAX_JSON_FIELDS)}}]`)).toBeArray();
  });
  test('are refused above it', () => {
    for (const json of [
      fields(MAX_JSON_FIELDS + 1),
      `[{},${fields(1_000_000)}`,
      `]]${':'.repeat(100_000)}`,
    ]) {
      expect(() => parseJson(json)).toThrow(/more than 50,000 fields|not valid JSON/);
    }
  });
});

describe('invalid JSON', () => {
  test.each(['', '{', '[1,]', '"\\', '"abc', '1-1', '{"a":::::1}', 'x'.repeat(100_000), '\u00a0'])(
    'is refused with a short message: %p',
    (text) => {
      let message = '';
      try {
        parseJson(bytes(text));
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toStartWith('is not valid JSON (');
      expect(message.length).toBeLessThan(250);
    },
  );
  test('is refused if it is not UTF-8', () => {
    expect(() => parseJson(Uint8Array.from([0x22, 0xff, 0x22]))).toThrow('is not valid UTF-8');
  });
});

test('bytes within a larger buffer are read correctly', () => {
  expect(parseJson(bytes('"[[" 12345678901234567000 ]').subarray(5, 25))).toBe(12345678901234567000);
});
