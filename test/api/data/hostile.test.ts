import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, publishApp } from '../../support/data/data.ts';

/** Requests made to be expensive. Others must get responses meanwhile. */

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

/** How many requests of others succeed while something runs. */
async function answeredMeanwhile<T>(work: Promise<T>): Promise<{ result: T; others: number }> {
  let isOver = false;
  let others = 0;
  const asking = (async () => {
    while (!isOver) {
      await quire.call('GET', '/api/join/nobody');
      others++;
      await new Promise(setImmediate);
    }
  })();
  const result = await work.finally(() => {
    isOver = true;
  });
  await asking;
  return { result, others };
}

describe('a query that scans a lot of data', () => {
  test('finishes or is stopped while others get responses', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/wide`;
    const data = { a: Array.from({ length: 20_000 }, (_, n) => n) };
    for (let n = 0; n < 40; n++) await create(owner, address, data);
    const or = Array.from({ length: 60 }, (_, n) => ({ a: { contains: 100_000 + n } }));
    const query = new URLSearchParams({ where: JSON.stringify({ or }) });
    const { result, others } = await answeredMeanwhile(quire.call('GET', `${address}?${query}`));
    expect([200, 503]).toContain(result.status);
    expect(others).toBeGreaterThan(10);
  });

  test('grouping by long values is refused', async () => {
    const page = await publishApp(owner, 'social');
    await create(owner, `${page.address}/long`, { g: 'x'.repeat(998) });
    const fits = await quire.call('GET', `${page.address}/long/count?groupBy=g`);
    expect(fits.body.groups).toEqual([{ value: 'x'.repeat(998), count: 1 }]);
    await create(owner, `${page.address}/long`, { g: 'x'.repeat(999) });
    const over = await quire.call('GET', `${page.address}/long/count?groupBy=g`);
    expect([over.status, over.body.error]).toEqual([400, expect.stringContaining('groupBy')]);
  });
});

describe('a schema', () => {
  test('that a record violates everywhere returns the first errors, briefly', async () => {
    const page = await publishApp(owner, 'social');
    const values = Array.from({ length: 60 }, (_, n) => `${n}${'v'.repeat(900)}`);
    const schema = { fields: { x: { type: 'array', items: { type: 'enum', values } } } };
    expect((await owner.call('PUT', `${page.address}/e/schema`, { body: { schema } })).status).toBe(200);
    const answer = await owner.call('POST', `${page.address}/e`, {
      body: { data: { x: Array.from({ length: 100_000 }, () => 0) } },
    });
    expect([answer.status, answer.body.details.length]).toEqual([422, 50]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(50_000);
  });

  const refused: Array<[name: string, fields: Record<string, unknown>]> = [
    ['many repeats', { a: { type: 'string', pattern: 'x{1000}'.repeat(60) } }],
    ['many classes', { a: { type: 'string', pattern: `(?i)${'\\pL'.repeat(100)}` } }],
    [
      '21 patterns',
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, { type: 'string', pattern: 'x' }])),
    ],
    ['501 characters', { a: { type: 'string', pattern: 'x'.repeat(501) } }],
    ['a minimum above its maximum', { a: { type: 'string', minLength: 5, maxLength: 2 } }],
    ['a number’s minimum above its maximum', { a: { type: 'number', min: 5, max: 2 } }],
  ];
  test.each(refused)('with %s is refused', async (_, fields) => {
    const page = await publishApp(owner, 'social');
    const answer = await owner.call('PUT', `${page.address}/x/schema`, { body: { schema: { fields } } });
    expect(answer.status).toBe(400);
  });

  test('with a field called __proto__, or of more than 64 KB, is refused', async () => {
    const page = await publishApp(owner, 'social');
    const put = async (schema: string) => {
      const response = await quire.request(`${page.address}/x/schema`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
        body: `{"schema":${schema}}`,
      });
      return response.status;
    };
    expect(await put('{"fields":{"__proto__":{"type":"string"}}}')).toBe(400);
    const sized = (letters: number) =>
      `{"fields":{"a":{"type":"enum","values":["${'x'.repeat(letters - 46)}"]}}}`;
    expect(sized(65_536).length).toBe(65_536);
    expect(await put(sized(65_536))).toBe(200);
    expect(await put(sized(65_537))).toBe(400);
  });

  test('can have 20 patterns', async () => {
    const page = await publishApp(owner, 'social');
    const fields = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`f${n}`, { type: 'string', pattern: `^[a-z]{0,${n}}$` }]),
    );
    expect(
      (await owner.call('PUT', `${page.address}/x/schema`, { body: { schema: { fields } } })).status,
    ).toBe(200);
  });

  test('has one limit for all texts of a record', async () => {
    const page = await publishApp(owner, 'social');
    const schema = { fields: { x: { type: 'array', items: { type: 'string', pattern: '[a-z]{0,400}!' } } } };
    await owner.call('PUT', `${page.address}/x/schema`, { body: { schema } });
    const data = { x: Array.from({ length: 2_000 }, () => 'a'.repeat(100)) };
    const answer = await owner.call('POST', `${page.address}/x`, { body: { data } });
    expect(answer.status).toBe(422);
  });
});

test('a batch has at most 4 MB', async () => {
  const page = await publishApp(owner, 'social');
  const send = (bytes: number) => {
    const data = { a: 'x'.repeat(200_000) };
    const operations = Array.from({ length: Math.floor(bytes / 200_100) }, () => ({ op: 'create', data }));
    return owner.call('POST', `${page.address}/b/batch`, { body: { operations } });
  };
  expect((await send(4_000_000)).status).toBe(200);
  expect((await send(4_500_000)).status).toBe(413);
});

test('an invalid id does not match anything in a batch either', async () => {
  const page = await publishApp(owner, 'social');
  const { id } = await create(owner, `${page.address}/b`, {});
  for (const bad of ['\0', 'x', '']) {
    const operations = [{ op: 'delete', id: bad }];
    expect((await owner.call('POST', `${page.address}/b/batch`, { body: { operations } })).status).toBe(404);
  }
  const operations = [{ op: 'delete', id: id.toUpperCase() }];
  expect((await owner.call('POST', `${page.address}/b/batch`, { body: { operations } })).status).toBe(200);
});

test('empty records count towards the quota too', async () => {
  const small = await testApp({ QUIRE_QUOTA_BYTES: '5000' });
  const user = await small.user('owner');
  const page = await publishApp(user, 'social');
  const answers = [];
  for (let n = 0; n < 30; n++)
    answers.push(await user.call('POST', `${page.address}/x`, { body: { data: {} } }));
  expect(answers.filter(({ status }) => status === 201).length).toBeLessThan(20);
  expect(answers.at(-1)?.status).toBe(403);
  await small.stop();
});
