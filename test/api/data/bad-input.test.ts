import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, publishApp } from '../../support/data/data.ts';

let quire: TestApp;
let owner: TestUser;
let page: DataPage;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  page = await publishApp(owner, 'social');
});
afterAll(() => quire.stop());

/** Sends a body as it is, for what JSON.stringify cannot write. */
async function sendRaw(address: string, text: string) {
  const response = await quire.request(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: text,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('a collection name', () => {
  test.each(['a', 'a1_b', 'z'.repeat(100), 'select', 'constructor'])('%s is accepted', async (name) => {
    expect((await owner.call('POST', `${page.address}/${name}`, { body: { data: {} } })).status).toBe(201);
  });

  const bad = [
    'A',
    '1a',
    '_a',
    'a-b',
    'a.b',
    'é',
    'z'.repeat(101),
    '%00',
    "a';drop table records;--",
    '__proto__',
    'a%20b',
  ];
  test.each(bad)('%s is refused', async (name) => {
    const address = `${page.address}/${encodeURIComponent(decodeURIComponent(name))}`;
    for (const answer of [
      await owner.call('GET', address),
      await owner.call('POST', address, { body: { data: {} } }),
    ]) {
      // A name with NUL does not match any route.
      expect(answer.status).toBe(name === '%00' ? 404 : 400);
      expect(typeof answer.body.error).toBe('string');
    }
  });
});

describe('data', () => {
  const refused: Array<[name: string, text: string]> = [
    ['no data', '{}'],
    ['null', '{"data":null}'],
    ['an array', '{"data":[]}'],
    ['a text', '{"data":"x"}'],
    ['a number', '{"data":1}'],
    ['an extra field', '{"data":{},"id":"x"}'],
    ['NUL', '{"data":{"a":"\\u0000"}}'],
    ['NUL in a name', '{"data":{"a\\u0000":1}}'],
    ['NUL in a nested value', '{"data":{"a":[{"b":"x\\u0000y"}]}}'],
    ['a lone surrogate', '{"data":{"a":"\\ud800"}}'],
    ['a lone surrogate in a name', '{"data":{"\\udc00":1}}'],
    ['2^53 + 1', '{"data":{"a":9007199254740993}}'],
    ['a number out of range', '{"data":{"a":1e400}}'],
    ['a negative number out of range', '{"data":{"a":-1e999}}'],
    ['no JSON', '{"data":{'],
  ];
  test.each(refused)('that is %s is refused', async (_, text) => {
    const answer = await sendRaw(`${page.address}/refused`, text);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('that was refused is not stored', async () => {
    expect((await owner.call('GET', `${page.address}/refused`)).body.total).toBe(0);
  });

  const odd: Array<[name: string, text: string]> = [
    ['__proto__', '{"__proto__":{"admin":true},"constructor":1,"toString":"x"}'],
    ['2^53', '{"a":9007199254740992,"b":-9007199254740991}'],
    [
      'very large and very small numbers',
      '{"a":1e300,"b":5e-324,"c":100000000000000000000,"d":1152921504606847000}',
    ],
    ['digits in a string', '{"a":"9007199254740993 1e400"}'],
    ['an emoji, a pair of surrogates', '{"a":"\\ud83d\\ude00","😀":1}'],
    ['SQL', `{"a":"'; drop table records; --","b'; --":"$1 ?1 \\\\"}`],
    ['an empty name', '{"":1,"a.b":2,"$":3}'],
    ['line separators', '{"a":"\\u2028\\u2029\\u0001\\u007f"}'],
  ];
  test.each(odd)('with %s is returned unchanged', async (_, text) => {
    const made = await sendRaw(`${page.address}/odd`, `{"data":${text}}`);
    expect(made.status).toBe(201);
    const found = await quire.request(`${page.address}/odd/${made.body.id}`);
    const body = await found.text();
    expect(JSON.parse(body).data).toEqual(JSON.parse(text));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('-0 becomes 0', async () => {
    const made = await sendRaw(`${page.address}/odd`, '{"data":{"a":-0}}');
    expect(Object.is((await owner.call('GET', `${page.address}/odd/${made.body.id}`)).body.data.a, 0)).toBe(
      true,
    );
  });

  test('a field called __proto__ can be merged and queried', async () => {
    const made = await sendRaw(`${page.address}/proto`, '{"data":{"a":1}}');
    const response = await quire.request(`${page.address}/proto/${made.body.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: '{"data":{"__proto__":{"x":1}}}',
    });
    expect(JSON.parse(await response.text()).data).toEqual(JSON.parse('{"a":1,"__proto__":{"x":1}}'));
    const found = await owner.call('GET', `${page.address}/proto?where={"__proto__.x":1}`);
    expect(found.body.total).toBe(1);
  });

  test('can be nested 64 levels deep, not 65', async () => {
    const nested = (levels: number) => `{"data":${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}}`;
    expect((await sendRaw(`${page.address}/deep`, nested(64))).status).toBe(201);
    const over = await sendRaw(`${page.address}/deep`, nested(65));
    expect([over.status, over.body.error]).toEqual([400, expect.stringContaining('64 levels')]);
    expect((await sendRaw(`${page.address}/deep`, nested(10_000))).status).toBe(400);
    expect((await sendRaw(`${page.address}/deep`, `{"data":{"a":${'['.repeat(200_000)}`)).status).toBe(400);
  });

  test('can have 256 KB of JSON, not one byte more', async () => {
    const filled = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const whole = await owner.call('POST', `${page.address}/big`, { body: { data: filled(262_144) } });
    expect(whole.status).toBe(201);
    const over = await owner.call('POST', `${page.address}/big`, { body: { data: filled(262_145) } });
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    // Bytes, not characters.
    const wide = await owner.call('POST', `${page.address}/big`, {
      body: { data: { a: '€'.repeat(90_000) } },
    });
    expect(wide.status).toBe(413);
    // Also if an update makes it too large.
    const own = `${page.address}/big/${whole.body.id}`;
    expect((await owner.call('PATCH', own, { body: { data: { b: 1 } } })).status).toBe(413);
    expect((await owner.call('GET', own)).body.data).toEqual(filled(262_144));
    expect((await owner.call('PATCH', own, { body: { data: { a: 'small' } } })).status).toBe(200);
  });
});

describe('queries', () => {
  beforeAll(async () => {
    await create(owner, `${page.address}/asked`, { a: 1 });
  });
  const get = (query: Record<string, string>) =>
    owner.call('GET', `${page.address}/asked?${new URLSearchParams(query)}`);

  const nested = (levels: number) => `${'{"and":['.repeat(levels - 1)}{"a":1}${']}'.repeat(levels - 1)}`;
  const conditions = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1])));
  const values = (count: number) => JSON.stringify({ a: { in: Array.from({ length: count }, (_, n) => n) } });

  const bad: Array<[query: Record<string, string>, named: string]> = [
    [{ where: '{' }, 'where'],
    [{ where: '[]' }, 'where'],
    [{ where: '1' }, 'where'],
    [{ where: 'null' }, 'where'],
    [{ where: '{"a":{"regex":".*"}}' }, 'regex'],
    [{ where: '{"a":{"$gt":1}}' }, '$gt'],
    [{ where: '{"a":{"eq":1,"like":"x"}}' }, 'like'],
    [{ where: '{"a":{}}' }, 'a has no operator'],
    [{ where: '{"a":[1]}' }, 'use in'],
    [{ where: '{"a":{"eq":{"b":1}}}' }, 'eq of a'],
    [{ where: '{"a":{"gt":true}}' }, 'gt of a'],
    [{ where: '{"a":{"gt":null}}' }, 'gt of a'],
    [{ where: '{"a":{"in":1}}' }, 'in of a'],
    [{ where: '{"a":{"in":[[1]]}}' }, 'in of a'],
    [{ where: '{"a":{"contains":null}}' }, 'contains of a'],
    [{ where: '{"a":{"exists":1}}' }, 'exists of a'],
    [{ where: '{"and":{"a":1}}' }, 'and must be an array'],
    [{ where: '{"or":[1]}' }, 'where'],
    [{ where: '{"a":"\\u0000"}' }, 'NUL'],
    [{ where: '{"a":{"in":["\\ud800"]}}' }, 'surrogates'],
    [{ where: '{"":1}' }, 'path'],
    [{ where: '{"a..b":1}' }, 'a..b'],
    [{ where: '{".a":1}' }, '.a'],
    [{ where: '{"a\\"b":1}' }, 'path'],
    [{ where: '{"a\\\\b":1}' }, 'path'],
    [{ where: '{"a\\u0000":1}' }, 'path'],
    [{ where: JSON.stringify({ [Array(17).fill('a').join('.')]: 1 }) }, 'path'],
    [{ where: nested(11) }, '10 levels'],
    [{ where: nested(100) }, '64 levels'],
    [{ where: conditions(201) }, '200 conditions'],
    [{ where: JSON.stringify({ or: Array(201).fill({}) }) }, '200 conditions'],
    [
      { where: JSON.stringify({ a: { in: [...Array(100).keys()] }, b: { in: [...Array(101).keys()] } }) },
      'in of b',
    ],
    [{ where: values(101) }, '100 values'],
    [{ orderBy: 'name' }, 'orderBy'],
    [{ orderBy: 'data.' }, 'orderBy'],
    [{ orderBy: 'id; drop table records' }, 'orderBy'],
    [{ orderBy: 'data.a desc, (select 1)"' }, 'orderBy'],
    [{ order: 'up' }, 'order'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
    [{ limit: '1.5' }, 'limit'],
    [{ limit: '-1' }, 'limit'],
    [{ offset: '-1' }, 'offset'],
    [{ offset: 'x' }, 'offset'],
    [{ after: 'x' }, 'after: must be the id of a record.'],
    [{ before: '1' }, 'before'],
    [
      { after: '01900000-0000-7000-8000-000000000000', before: '01900000-0000-7000-8000-000000000000' },
      'before',
    ],
    [{ mine: 'yes' }, 'mine'],
  ];
  test.each(bad)('%j is refused, and the error names it', async (query, named) => {
    const answer = await get(query);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error).toContain(named);
  });

  test('10,000 keys are refused', async () => {
    const answer = await get({ where: conditions(10_000) });
    expect([400, 414, 431]).toContain(answer.status);
  });

  const fine: Array<[where: string, total: number]> = [
    ['{}', 1],
    ['{"a":1}', 1],
    ['{"a":"1"}', 0],
    ['{"a":{"eq":1,"gt":0}}', 1],
    ['{"and":[]}', 1],
    ['{"or":[]}', 0],
    [nested(10), 1],
    [conditions(200), 0],
    [JSON.stringify({ and: Array(200).fill({}) }), 1],
    [values(100), 1],
    ['{"a\' or 1=1 --":1}', 0],
    ['{"a) or (1=1":1}', 0],
    ['{"b":"\' or \'1\'=\'1"}', 0],
    ['{"b":{"contains":"%"}}', 0],
    ['{"a":{"contains":1}}', 0],
    ['{"a.b.c":null}', 1],
    ['{"a":{"exists":false}}', 0],
    ['{"a":1e300}', 0],
  ];
  test.each(fine)('%s finds %d', async (where, total) => {
    const answer = await get({ where });
    expect([answer.status, answer.body.total]).toEqual([200, total]);
  });

  test('a batch of anything but operations is refused', async () => {
    const bodies = [
      {},
      { operations: {} },
      { operations: [1] },
      { operations: [{ op: 'upsert', data: {} }] },
      { operations: [{ op: 'update', data: {} }] },
      { operations: [{ op: 'create', id: 'x', data: {} }] },
      { operations: [], more: 1 },
    ];
    for (const body of bodies) {
      expect((await owner.call('POST', `${page.address}/asked/batch`, { body })).status).toBe(400);
    }
  });
});
