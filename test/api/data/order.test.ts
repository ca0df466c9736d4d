import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, publishApp } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';

let quire: TestApp;
let ada: TestUser;
let page: DataPage;
beforeAll(async () => {
  quire = await testApp();
  ada = await quire.user('ada');
  page = await publishApp(ada, 'social');
});
afterAll(() => quire.stop());

/** The JSON text of data, which shows the order of keys and how numbers are written. */
const toJson = (data: unknown) => JSON.stringify(data);

/** The data of a record as every way of reading it returns it, byte by byte. */
async function readings(path: string, id: string): Promise<string[]> {
  const texts = [
    await (await quire.request(`${path}/${id}`)).text(),
    await (await quire.request(`${path}?limit=1`)).text(),
    await (await quire.request(`${path}?limit=1&orderBy=updated_at`)).text(),
    await (await quire.request(`${path}?where={"zeta":{"exists":true}}`)).text(),
  ];
  return texts.map((text) => /"data":(.*?),"createdAt"/s.exec(text)?.[1] ?? text);
}

const send = async (method: string, path: string, data: string) =>
  quire.request(path, {
    method,
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: `{"data":${data}}`,
  });

const read = async (response: Response) => (await response.json()) as { id: string; data: unknown };

describe('keys of a record keep their order', () => {
  test.each([
    ['of any length', '{"zeta":1,"a":2,"mm":3,"b":4}'],
    ['in objects and arrays', '{"zeta":{"y":{"d":1,"cc":2},"x":[{"q":1,"p":2}]},"alpha":[]}'],
    ['with any letters', '{"zeta":1,"ä":2,"Z":3,"":4,"a b":5,"\\"":6,"emoji 🙂":7}'],
    [
      'with any numbers',
      '{"zeta":1e21,"b":0.1,"a":-5e-324,"m":12345678901234567000,"d":1.5e300,"o":1.0,"n":-0}',
    ],
    ['with null and texts', '{"zeta":null,"b":"<\\u2028>\\n","a":false}'],
  ])('%s', async (_, sent) => {
    const path = `${page.address}/order`;
    const expected = toJson(JSON.parse(sent));
    const made = await read(await send('POST', path, sent));
    expect(toJson(made.data)).toBe(expected);
    expect(await readings(path, made.id)).toEqual(Array(4).fill(expected));
    await ada.call('DELETE', `${path}/${made.id}`);
  });

  test('of a record that was sent with the same key twice: the last value counts', async () => {
    const path = `${page.address}/twice`;
    const made = await read(await send('POST', path, '{"zeta":1,"a":1,"zeta":2}'));
    expect(await readings(path, made.id)).toEqual(Array(4).fill('{"zeta":2,"a":1}'));
  });

  test('when fields are changed, added and removed', async () => {
    const path = `${page.address}/changes`;
    const { id } = await create(ada, path, { zeta: 1, mid: { b: 1, a: 2 }, alpha: 3, gone: 4 });
    const change = (method: string, data: string) => send(method, `${path}/${id}`, data);
    const changed = await read(await change('PATCH', '{"beta":5,"alpha":6,"gone":null,"aa":7}'));
    const merged = '{"zeta":1,"mid":{"b":1,"a":2},"alpha":6,"beta":5,"aa":7}';
    expect(toJson(changed.data)).toBe(merged);
    expect(await readings(path, id)).toEqual(Array(4).fill(merged));
    await change('PUT', '{"zeta":1,"b":2,"a":3}');
    expect(await readings(path, id)).toEqual(Array(4).fill('{"zeta":1,"b":2,"a":3}'));
  });

  test('in a batch', async () => {
    const path = `${page.address}/batches`;
    const { id } = await create(ada, path, { zeta: 1, a: 2 });
    const operations = [
      { op: 'update', id, data: { m: 1, b: 2 } },
      { op: 'create', data: { zeta: 2, c: 3, b: 4, a: 5 } },
    ];
    await ada.call('POST', `${path}/batch`, { body: { operations } });
    const { records } = (await quire.call('GET', path)).body;
    expect(records.map(({ data }: { data: object }) => toJson(data))).toEqual([
      '{"zeta":2,"c":3,"b":4,"a":5}',
      '{"zeta":1,"a":2,"m":1,"b":2}',
    ]);
  });
});

test('a number that cannot be kept is refused', async () => {
  const refused = await send('POST', `${page.address}/order`, '{"zeta":1e400}');
  expect(refused.status).toBe(400);
});

test('what another version of the service writes into data alone is what is read', async () => {
  const path = `${page.address}/older`;
  const { id } = await create(ada, path, { zeta: 1, a: 2 });
  await runSql(quire, `update records set data = '{"zeta": 3}' where id = '${id}'`);
  const { data } = (await quire.call('GET', `${path}/${id}`)).body;
  expect(data).toEqual({ zeta: 3 });
  await send('PATCH', `${path}/${id}`, '{"b":1}');
  expect(await readings(path, id)).toEqual(Array(4).fill('{"zeta":3,"b":1}'));
});

test('a change of the order alone is kept', async () => {
  const path = `${page.address}/reordered`;
  const { id } = await create(ada, path, { zeta: 1, a: 2 });
  await send('PUT', `${path}/${id}`, '{"a":2,"zeta":1}');
  expect(await readings(path, id)).toEqual(Array(4).fill('{"a":2,"zeta":1}'));
});
