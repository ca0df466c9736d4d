import { describe, expect, test } from 'bun:test';
import { readJson } from './body.ts';

const read = (body: string) =>
  readJson(
    new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
    32 * 1024 * 1024,
  );

describe('numbers in JSON', () => {
  const kept = [
    '9007199254740992',
    '-9007199254740991',
    '100000000000000000000',
    '1152921504606847000',
    '1e300',
    '0.12345678901234567890',
    '["9007199254740993"]',
    '{"a\\\\":"9007199254740993","b":"\\"1e999"}',
    '{"9007199254740993":1}',
  ];
  test.each(kept)('%s is kept', async (text) => {
    expect(await read(text)).toEqual(JSON.parse(text));
  });

  const refused = [
    '9007199254740993',
    '[-9007199254740993]',
    '1e400',
    '{"a":-1e999}',
    '["\\\\",9007199254740993]',
  ];
  test.each(refused)('%s is refused', async (text) => {
    expect(read(text)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('are not looked for in long texts', async () => {
    const text = JSON.stringify({ html: '<p>407e750e 9007199254740993 \\" "'.repeat(200_000), n: 1e300 });
    expect(await read(text)).toEqual(JSON.parse(text));
  });
});

describe('nesting in JSON', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  test('is taken to a hundred levels', async () => {
    expect(await read(nested(100))).toBeArray();
  });
  test.each([101, 100_000])('is refused at %d', async (levels) => {
    expect(read(nested(levels))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
