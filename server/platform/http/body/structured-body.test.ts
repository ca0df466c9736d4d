import { describe, expect, test } from 'bun:test';
import { readJson, readStructuredBody } from './structured-body.ts';

const RULES = { limit: 32 * 1024 * 1024, sender: 'somebody' };

const post = (body: string, type = 'application/json') =>
  new Request('http://localhost/', { method: 'POST', headers: { 'content-type': type }, body });

describe('a large JSON body', () => {
  test('is returned complete by the thread that parses it', async () => {
    const html = '<p>é😀\u0001"\\ 9007199254740993 [[['.repeat(50_000);
    expect(await readJson(post(JSON.stringify({ html, n: [1, null] })), RULES)).toEqual({
      html,
      n: [1, null],
    });
  });

  test('with many values is accepted too', async () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    expect(
      await readJson(
        post(
          JSON.stringify(list)
            .slice(0, 800_000)
            .replace(/,[^,]*$/, ']'),
        ),
        RULES,
      ),
    ).toBeArray();
  });

  const padding = ' '.repeat(300_000);
  test.each([
    ['nested too deeply', `${padding}${'['.repeat(65)}${']'.repeat(65)}`, '64 levels'],
    ['too wide', `${padding}[${'[],'.repeat(200_000)}[]]`, '200,000 values'],
    [
      'with many values and a very large one',
      `[${'1,'.repeat(2_000)}"${'a'.repeat(6_000_000)}"]`,
      '2,000 values',
    ],
    ['with a number that would be rounded', `${padding}9007199254740993`, 'kept exactly'],
    ['not JSON', `${padding}{`, 'not valid JSON'],
  ])('is refused: %s', async (_, body, words) => {
    expect(readJson(post(body), RULES)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(words),
    });
  });

  test('is parsed one at a time, for all senders', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => JSON.stringify({ i, text: 'x'.repeat(300_000) }));
    const read = await Promise.all(
      bodies.map((body, i) => readJson(post(body), { ...RULES, sender: `${i % 3}` })),
    );
    expect(read.map((value) => (value as { i: number }).i)).toEqual(bodies.map((_, i) => i));
  });
});

describe('a form', () => {
  const read = (body: string) =>
    readStructuredBody(post(body, 'application/x-www-form-urlencoded'), { ...RULES, form: true });
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=${i}`).join('&');

  test('returns all values of a repeated field', async () => {
    expect(await read('scopes=a&username=ada&scopes=b+c&__proto__=x')).toEqual(
      Object.fromEntries([
        ['scopes', 'a b c'],
        ['username', 'ada'],
        ['__proto__', 'x'],
      ]),
    );
  });

  test('can have 50 fields, not 51', async () => {
    expect(Object.keys((await read(fields(50))) as object)).toHaveLength(50);
    for (const body of [fields(51), fields(1_000_000), 'a=1&'.repeat(1_000_000), '&'.repeat(1_000_000)]) {
      expect(read(body)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: 'The form has more than 50 fields. Send fewer.',
      });
    }
  });
});
