import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, publishApp } from '../../support/data/data.ts';

let quire: TestApp;
let owner: TestUser;
let visitor: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  visitor = await quire.user('visitor');
});
afterAll(() => quire.stop());

async function collectionWith(fields: Record<string, unknown>, strict?: boolean): Promise<string> {
  const page = await publishApp(owner, 'social');
  const schema = { fields, ...(strict !== undefined && { strict }) };
  const answer = await owner.call('PUT', `${page.address}/things/schema`, { body: { schema } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return `${page.address}/things`;
}

describe('a schema', () => {
  test('can be set, read, listed in the agent spec and removed', async () => {
    const page = await publishApp(owner, 'team');
    const address = `${page.address}/tasks/schema`;
    const schema = { fields: { title: { type: 'string', required: true }, done: { type: 'boolean' } } };
    const entry = { collection: 'tasks', storageType: 'team_data', schema };

    expect((await owner.call('GET', address)).status).toBe(404);
    const put = await owner.call('PUT', address, { body: { schema } });
    expect([put.status, put.body]).toEqual([200, entry]);
    expect((await owner.call('GET', address)).body).toEqual(entry);
    expect((await quire.call('GET', `/api/pages/${page.id}/agent-spec`)).body).toMatchObject({
      storageMode: 'team_app',
      schemas: [entry],
    });
    // A schema alone is not a collection with data.
    expect((await owner.call('GET', page.address)).body.collections).toEqual([]);

    expect((await owner.call('DELETE', address)).status).toBe(204);
    expect((await owner.call('GET', address)).status).toBe(404);
    expect((await owner.call('DELETE', address)).status).toBe(404);
    expect((await quire.call('GET', `/api/pages/${page.id}/agent-spec`)).body.schemas).toEqual([]);
  });

  test('can be set only by the owner of the page', async () => {
    const page = await publishApp(owner, 'social');
    const body = { schema: { fields: {} } };
    expect((await visitor.call('PUT', `${page.address}/x/schema`, { body })).status).toBe(403);
    expect((await visitor.call('DELETE', `${page.address}/x/schema`)).status).toBe(403);
    expect((await quire.call('PUT', `${page.address}/x/schema`, { body })).status).toBe(401);
    await owner.call('PUT', `${page.address}/x/schema`, { body });
    expect((await quire.call('GET', `${page.address}/x/schema`)).body.schema).toEqual({ fields: {} });
  });

  test('can be 64 KB long, and all of a page 512 KB together', async () => {
    const page = await publishApp(owner, 'social');
    const put = (name: string, letters: number) => {
      const schema = { fields: { a: { type: 'enum', values: ['x'.repeat(letters)] } } };
      return owner.call('PUT', `${page.address}/${name}/schema`, { body: { schema } });
    };
    for (let at = 0; at < 8; at++) expect((await put(`c${at}`, 65_000)).status).toBe(200);
    expect(await put('c8', 65_000)).toMatchObject({ status: 403, body: { code: 'QUOTA_EXCEEDED' } });
    expect((await owner.call('GET', `${page.address}/c8/schema`)).status).toBe(404);
    expect((await put('c7', 64_000)).status).toBe(200);
    expect((await put('c8', 1_000)).status).toBe(200);
    const { schemas } = (await quire.call('GET', `/api/pages/${page.id}/agent-spec`)).body;
    expect(schemas).toHaveLength(9);
  });

  const bad: Array<[name: string, schema: unknown, named: string]> = [
    ['nothing', undefined, 'schema'],
    ['no fields', {}, 'fields'],
    ['an unknown type', { fields: { a: { type: 'text' } } }, 'fields.a'],
    ['no type', { fields: { a: {} } }, 'fields.a'],
    ['an unknown rule', { fields: { a: { type: 'string', min: 1 } } }, 'min'],
    ['an unknown property', { fields: {}, strickt: true }, 'strickt'],
    ['an invalid length', { fields: { a: { type: 'string', maxLength: -1 } } }, 'maxLength'],
    ['an enum without values', { fields: { a: { type: 'enum' } } }, 'values'],
    ['an enum with an empty list', { fields: { a: { type: 'enum', values: [] } } }, 'values'],
    ['a broken pattern', { fields: { a: { type: 'string', pattern: '(' } } }, 'pattern'],
    ['a look-ahead', { fields: { a: { type: 'string', pattern: '(?=a)b' } } }, 'pattern'],
    ['a back-reference', { fields: { a: { type: 'string', pattern: '(a)\\1' } } }, 'pattern'],
    ['a huge pattern', { fields: { a: { type: 'string', pattern: '(a{900}b){900}' } } }, 'pattern'],
    ['NUL in a name', { fields: { 'a\0': { type: 'string' } } }, 'fields'],
    ['too deep', { fields: nested(9) }, '8 levels'],
    [
      'too many fields',
      { fields: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, { type: 'date' }])) },
      '200 fields',
    ],
  ];
  test.each(bad)('with %s is refused', async (_, schema, named) => {
    const page = await publishApp(owner, 'social');
    const answer = await owner.call('PUT', `${page.address}/x/schema`, { body: { schema } });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error).toContain(named);
  });

  function nested(levels: number): Record<string, unknown> {
    return levels === 1 ? { a: { type: 'date' } } : { a: { type: 'object', properties: nested(levels - 1) } };
  }
  test('can be nested 8 levels deep and have 200 fields', async () => {
    await collectionWith(nested(8));
    await collectionWith(
      Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, { type: 'date' }])),
    );
  });
});

describe('records of a collection with a schema', () => {
  const types: Array<[field: Record<string, unknown>, good: unknown[], bad: unknown[]]> = [
    [{ type: 'string' }, ['', 'x', null], [1, true, [], {}]],
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'abc', '😀😀😀'], ['a', 'abcd', '😀']],
    [{ type: 'string', pattern: '^[a-z]+$' }, ['abc'], ['', 'A', 'a1']],
    [{ type: 'string', pattern: 'b' }, ['abc'], ['ac']],
    [{ type: 'number' }, [0, -1.5, 1e300], ['1', true, []]],
    [{ type: 'number', min: 1, max: 2 }, [1, 1.5, 2], [0.99, 2.01]],
    [{ type: 'boolean' }, [true, false], [0, 'true']],
    [{ type: 'enum', values: ['a', 1, false] }, ['a', 1, false], ['b', 0, '1', true]],
    [{ type: 'array' }, [[], [1, 'a']], [{}, 'a']],
    [{ type: 'array', items: { type: 'number', min: 0 } }, [[], [1, 2]], [[-1], ['1'], [[1]]]],
    [{ type: 'object' }, [{}, { any: 1 }], [[], 'x', 1]],
    [
      { type: 'object', properties: { x: { type: 'number', required: true } } },
      [{ x: 1 }, { x: 1, y: 2 }],
      [{}, { x: null }, { x: '1' }],
    ],
    [
      { type: 'date' },
      [
        '2026-01-31',
        '2026-01-31T12:00',
        '2026-01-31T12:00:00Z',
        '2024-02-29',
        '2026-01-31T12:00:00.123+02:00',
      ],
      [
        '2026-02-29',
        '2026-13-01',
        '31.1.2026',
        'yesterday',
        1700000000,
        '2026-01-31T25:00:00Z',
        '2026-01-32',
      ],
    ],
  ];
  test.each(types)('%j', async (field, good, bad) => {
    const address = await collectionWith({ value: field });
    for (const value of good) {
      const answer = await visitor.call('POST', address, { body: { data: { value } } });
      expect([value, answer.status]).toEqual([value, 201]);
    }
    for (const value of bad) {
      const answer = await visitor.call('POST', address, { body: { data: { value } } });
      expect([value, answer.status, answer.body.code]).toEqual([value, 422, 'VALIDATION_FAILED']);
      expect(answer.body.details[0].path).toStartWith('data.value');
    }
  });

  test('get all errors in one response', async () => {
    const address = await collectionWith(
      {
        title: { type: 'string', required: true },
        count: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      true,
    );
    const answer = await visitor.call('POST', address, {
      body: { data: { count: 'x', tags: ['a', 1, 2], extra: 1 } },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'data.count',
      'data.extra',
      'data.tags.1',
      'data.tags.2',
      'data.title',
    ]);
    expect((await quire.call('GET', address)).body.total).toBe(0);
  });

  test('are checked for changed fields only when updated, and keep required fields', async () => {
    const address = await collectionWith({
      title: { type: 'string', required: true },
      count: { type: 'number' },
    });
    const { id } = await create(visitor, address, { title: 'x', count: 1, other: true });
    const patch = (data: unknown) => visitor.call('PATCH', `${address}/${id}`, { body: { data } });
    expect((await patch({ count: 2 })).status).toBe(200);
    expect((await patch({ count: null })).status).toBe(200);
    expect((await patch({ title: null })).status).toBe(422);
    expect((await patch({ title: 5, count: 'x' })).body.details.length).toBe(2);
    expect((await visitor.call('GET', `${address}/${id}`)).body.data).toEqual({
      title: 'x',
      other: true,
    });
    const operations = [
      { op: 'update', id, data: { count: 3 } },
      { op: 'create', data: {} },
    ];
    const batch = await visitor.call('POST', `${address}/batch`, { body: { operations } });
    expect([batch.status, batch.body.code, batch.body.index]).toEqual([422, 'VALIDATION_FAILED', 1]);
  });

  test('are checked as a whole when replaced', async () => {
    const address = await collectionWith({ title: { type: 'string', required: true } });
    const { id } = await create(visitor, address, { title: 'x', other: true });
    const put = (data: unknown) => visitor.call('PUT', `${address}/${id}`, { body: { data } });
    const refused = await put({ other: false });
    expect([refused.status, refused.body.details]).toEqual([
      422,
      [{ path: 'data.title', message: 'is required' }],
    ]);
    expect((await put({ title: 'y' })).body.data).toEqual({ title: 'y' });
    const batch = (data: unknown) =>
      visitor.call('POST', `${address}/batch`, { body: { operations: [{ op: 'replace', id, data }] } });
    expect((await batch({})).body).toMatchObject({ code: 'VALIDATION_FAILED', index: 0 });
    expect((await batch({ title: 'z' })).body.results).toMatchObject([
      { success: true, record: { id, data: { title: 'z' } } },
    ]);
  });

  test('lose a field that a strict schema does not know when it is set to null', async () => {
    const address = await collectionWith({});
    const { id } = await create(visitor, address, { title: 'x', old: 1, older: 2 });
    const schema = { fields: { title: { type: 'string' } }, strict: true };
    expect((await owner.call('PUT', `${address}/schema`, { body: { schema } })).status).toBe(200);
    const patch = (data: unknown) => visitor.call('PATCH', `${address}/${id}`, { body: { data } });
    expect((await patch({ old: 3 })).status).toBe(422);
    expect((await patch({ old: null })).body.data).toEqual({ title: 'x', older: 2 });
    expect((await patch({ old: null })).status).toBe(200);
  });

  test('can have unknown fields unless the schema is strict', async () => {
    const data = { a: 'x', b: 1 };
    const open = await collectionWith({ a: { type: 'string' } });
    expect((await visitor.call('POST', open, { body: { data } })).status).toBe(201);
    const strict = await collectionWith({ a: { type: 'string' } }, true);
    expect((await visitor.call('POST', strict, { body: { data } })).status).toBe(422);
  });

  test('that are older than the schema stay, and can be changed', async () => {
    const page = await publishApp(owner, 'social');
    const { id } = await create(visitor, `${page.address}/old`, { title: 1 });
    const schema = { fields: { title: { type: 'string', required: true } } };
    await owner.call('PUT', `${page.address}/old/schema`, { body: { schema } });
    expect(
      (await visitor.call('PATCH', `${page.address}/old/${id}`, { body: { data: { x: 1 } } })).status,
    ).toBe(200);
    expect((await quire.call('GET', `${page.address}/old/${id}`)).body.data).toEqual({ title: 1, x: 1 });
  });

  test('with a pattern that backtracks catastrophically in other engines get a response', async () => {
    const patterns = ['^(a+)+$', '^(a|aa)+$', '(x+x+)+y', '^([a-z]+)*[0-9]$'];
    for (const pattern of patterns) {
      const address = await collectionWith({ text: { type: 'string', pattern } });
      const text = `${'a'.repeat(50_000)}!`;
      const answer = await visitor.call('POST', address, { body: { data: { text } } });
      expect([pattern, answer.status]).toEqual([pattern, 422]);
    }
  });

  test('with a text too long for its pattern are refused without matching', async () => {
    const address = await collectionWith({ text: { type: 'string', pattern: '(a{0,40}){0,10}[bc]$' } });
    const answer = await visitor.call('POST', address, { body: { data: { text: 'a'.repeat(200_000) } } });
    expect([answer.status, answer.body.details[0].message]).toEqual([
      422,
      expect.stringContaining('too long'),
    ]);
  });
});
