import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, type Mode, publishApp } from '../../support/data/data.ts';
import { ask, findTitles, isBuilt, publishSearched, SEARCHED, setSearch } from '../../support/data/search.ts';
import { readSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

/** A search has exactly the words of the records of its collection, however they change. */

let quire: TestApp;
let owner: TestUser;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  ada = await quire.user('ada');
  bob = await quire.user('bob');
});
afterAll(() => quire.stop());

const publish = (mode: Mode, schema?: object) => publishSearched(owner, mode, schema);
const find = (address: string, q: string, user = owner) => findTitles(user, address, q);

describe('a search follows', () => {
  /** Whether the texts of a search are those of the records of its collection, and no others. */
  async function countTexts(page: DataPage): Promise<{ texts: number; records: number; lost: number }> {
    const [row] = await readSql<{ texts: string; records: string; lost: string }>(
      quire,
      `select
        (select count(*) from record_search_texts as t join record_indexes as i on i.id = t.index_id
          where i.collection_id = c.id and i.state <> 'dropped' and t.record_id <> '') as texts,
        (select count(*) from records as r where r.collection_id = c.id) as records,
        (select count(*) from record_search_texts as t join record_indexes as i on i.id = t.index_id
          where i.collection_id = c.id and i.state <> 'dropped' and t.record_id <> ''
          and not exists (select 1 from records as r where r.collection_id = c.id and r.id = t.record_id)) as lost
      from collections as c where c.page_id = ${page.id} and c.name = 'notes'`,
    );
    return { texts: Number(row?.texts), records: Number(row?.records), lost: Number(row?.lost) };
  }
  const expectExact = async (page: DataPage, records: number) =>
    expect(await countTexts(page)).toEqual({ texts: records, records, lost: 0 });

  test('creating, changing, replacing and deleting, one by one and together', async () => {
    const { page, notes } = await publish('social');
    const one = await create(ada, notes, { title: 'apple', note: 'n' });
    const change = (method: string, data: object) =>
      ada.call(method, `${notes}/${one.id}`, { body: { data } });
    expect(await find(notes, 'apple')).toEqual(['apple']);
    await change('PATCH', { note: 'apple pear' });
    expect(await find(notes, 'pear')).toEqual([]);
    await change('PATCH', { title: 'pear' });
    expect([await find(notes, 'apple'), await find(notes, 'pear')]).toEqual([[], ['pear']]);
    await change('PUT', { note: 'pear' });
    expect(await find(notes, 'pear')).toEqual([]);
    await expectExact(page, 1);
    await change('PUT', { title: 'Plum Äpfel' });
    expect([await find(notes, 'plum'), await find(notes, 'aepfel')]).toEqual([
      ['Plum Äpfel'],
      ['Plum Äpfel'],
    ]);
    const { body } = await ada.call('POST', `${notes}/batch`, {
      body: {
        operations: [
          { op: 'create', data: { title: 'fig' } },
          { op: 'create', data: { title: 'plum fig' } },
          { op: 'update', id: one.id, data: { title: 'fig tree' } },
        ],
      },
    });
    expect([await find(notes, 'plum'), await find(notes, 'fig')]).toEqual([
      ['plum fig'],
      ['fig', 'fig tree', 'plum fig'],
    ]);
    const failed = await ada.call('POST', `${notes}/batch`, {
      body: {
        operations: [
          { op: 'update', id: one.id, data: { title: 'undone' } },
          { op: 'create', data: { title: 7 } },
        ],
      },
    });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    expect([await find(notes, 'undone'), await find(notes, 'tree')]).toEqual([[], ['fig tree']]);
    await expectExact(page, 3);
    const ids = [
      one.id,
      ...body.results.slice(0, 2).map((each: { record: { id: string } }) => each.record.id),
    ];
    const operations = ids.map((id) => ({ op: 'delete', id }));
    expect((await ada.call('POST', `${notes}/batch`, { body: { operations } })).status).toBe(200);
    expect(await find(notes, 'fig')).toEqual([]);
    await expectExact(page, 0);
  });

  test('a schema that adds, changes and removes it', async () => {
    const page = await publishApp(owner, 'social');
    const notes = `${page.address}/notes`;
    await create(ada, notes, { title: 'apple', note: 'pear' });
    const noSearch = async () => {
      const { status, body } = await ask(ada, notes, { q: 'apple' });
      expect([status, body.error]).toEqual([400, expect.stringContaining('cannot be searched')]);
    };
    await noSearch();
    await setSearch(owner, notes);
    expect([await find(notes, 'apple'), await find(notes, 'pear')]).toEqual([['apple'], []]);
    await setSearch(owner, notes, { ...SEARCHED, search: ['note'] });
    expect([await find(notes, 'apple'), await find(notes, 'pear')]).toEqual([[], ['apple']]);
    await create(ada, notes, { title: 'x', note: 'apple' });
    expect(await find(notes, 'apple')).toEqual(['x']);
    await expectExact(page, 2);
    await owner.call('PUT', `${notes}/schema`, { body: { schema: { fields: SEARCHED.fields } } });
    await noSearch();
    await create(ada, notes, { title: 'apple tree' });
    await setSearch(owner, notes);
    expect(await find(notes, 'apple')).toEqual(['apple', 'apple tree']);
    await owner.call('DELETE', `${notes}/schema`);
    await noSearch();
  });

  test('a restore of a record and of the whole page, with its schema', async () => {
    const { page, notes } = await publish('social');
    const one = await create(ada, notes, { title: 'apple' });
    const two = await create(ada, notes, { title: 'pear' });
    const kept = await owner.call('POST', `/api/pages/${page.id}/moments`, { body: { name: 'Kept' } });
    await ada.call('PATCH', `${notes}/${one.id}`, { body: { data: { title: 'plum' } } });
    await ada.call('DELETE', `${notes}/${two.id}`);
    await create(ada, notes, { title: 'fig' });
    const { body: deleted } = await ada.call('GET', `${notes}/deleted`);
    const at = deleted.records[0].deletedAt;
    expect((await ada.call('POST', `${notes}/${two.id}/restore`, { body: { at } })).status).toBe(200);
    expect(await find(notes, 'pear')).toEqual(['pear']);
    await expectExact(page, 3);
    const restore = async (to: string) => {
      const back = await owner.call('POST', `/api/pages/${page.id}/restore`, { body: { at: to } });
      expect(back.status).toBe(200);
      await waitUntil(() => isBuilt(owner, notes));
      return back.body;
    };
    const { undo } = await restore(kept.body.at);
    expect(await find(notes, 'plum')).toEqual([]);
    expect(await find(notes, 'fig')).toEqual([]);
    expect(await find(notes, 'apple')).toEqual(['apple']);
    await expectExact(page, 2);
    await restore(undo);
    expect(await find(notes, 'apple')).toEqual([]);
    expect(await find(notes, 'plum')).toEqual(['plum']);
    await expectExact(page, 3);
    await owner.call('DELETE', `${notes}/schema`);
    await restore(kept.body.at);
    expect(await find(notes, 'apple')).toEqual(['apple']);
    await expectExact(page, 2);
  });

  test('the deletion of an account', async () => {
    const [leaver, { page, notes }] = [await quire.user('leaver'), await publish('solo')];
    for (const title of ['apple', 'secretword']) await create(leaver, notes, { title });
    await create(bob, notes, { title: 'secretword too' });
    const shared = await publish('social');
    await create(leaver, shared.notes, { title: 'shared secretword' });
    await quire.call('POST', '/api/auth/account/delete', {
      headers: { cookie: await leaver.login() },
      body: { username: 'leaver' },
    });
    quire.advance(7 * 24 * 3600 * 1000 + 1000);
    await quire.app.sweep();
    await expectExact(page, 1);
    const texts = () =>
      readSql<{ text: string }>(quire, "select text from record_search_texts where text like '%secretword%'");
    expect((await texts()).map(({ text }) => text.trim()).sort()).toEqual([
      'secretword too',
      'shared secretword',
    ]);
  });
});
