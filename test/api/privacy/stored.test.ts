import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { unpackExport } from '../../support/privacy/export.ts';

let quire: TestApp;
let owner: TestUser;
let visitor: TestUser;
let wall: { id: number };
let diary: { id: number };

beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user();
  visitor = await quire.user();
  wall = await owner.publish({ name: 'Wall', storage_mode: 'social_app' });
  diary = await owner.publish({ name: 'Diary', storage_mode: 'solo_app' });
  const own = await visitor.publish({ name: 'Own', storage_mode: 'social_app' });
  for (const by of [visitor, owner]) {
    await write(by, `/api/pages/${wall.id}/social-data/notes`);
    await write(by, `/api/pages/${diary.id}/solo-data/days`);
  }
  await write(visitor, `/api/pages/${own.id}/social-data/notes`);
});
afterAll(() => quire.stop());

async function write(by: TestUser, path: string) {
  const answer = await by.call('POST', path, { body: { data: { by: by.username } } });
  expect(answer.status).toBe(201);
}

const fetchList = async (user: TestUser) => (await user.call('GET', '/api/auth/stored')).body;
const deleteOn = (user: TestUser, id: number) => user.call('DELETE', `/api/auth/stored/${id}`);
const readUsage = async (id: number) => {
  const [row] = await readSql<{ bytes: number }>(quire, `SELECT bytes FROM usage WHERE user_id = ${id}`);
  return Number(row?.bytes);
};

describe("what a visitor stored on other people's pages", () => {
  test('is listed by page, without their own pages', async () => {
    const { pages, hasMore } = await fetchList(visitor);
    expect(hasMore).toBe(false);
    const bytes = JSON.stringify({ by: visitor.username }).length;
    expect(pages).toEqual([
      expect.objectContaining({ pageId: wall.id, name: 'Wall', records: 1, files: 0, bytes }),
      expect.objectContaining({ pageId: diary.id, name: 'Diary', records: 1, files: 0, bytes }),
    ]);
    expect((await fetchList(owner)).pages).toEqual([]);
  });

  test('is in the export', async () => {
    const response = await quire.request('/api/auth/export', {
      headers: { authorization: `Bearer ${visitor.token}` },
    });
    const archive = await unpackExport(response, quire.dataFolder);
    const notes = archive.lines(`elsewhere/${wall.id}/social_data/notes.jsonl`);
    expect(notes).toMatchObject([{ data: { by: visitor.username } }]);
    expect(archive.lines(`elsewhere/${diary.id}/solo_data/days.jsonl`)).toHaveLength(1);
  });

  test('does not reveal the name of a page that the visitor can no longer see', async () => {
    await owner.call('PATCH', `/api/pages/${diary.id}`, { body: { is_published: false } });
    const { pages } = await fetchList(visitor);
    expect(JSON.stringify(pages)).not.toMatch(/diary/i);
    expect(pages).toHaveLength(2);
    const response = await quire.request('/api/auth/export', {
      headers: { authorization: `Bearer ${visitor.token}` },
    });
    const { text } = await unpackExport(response, quire.dataFolder);
    expect(text(`elsewhere/${wall.id}/page.json`)).toContain('"wall"');
    expect(text(`elsewhere/${diary.id}/page.json`)).not.toContain('diary');
  });

  test('is deleted by them, also on a page they can no longer see, and nothing else is', async () => {
    const before = await readUsage(owner.id);
    for (const { id } of [wall, diary])
      expect(await deleteOn(visitor, id)).toMatchObject({ status: 200, body: { deleted: 1, isDone: true } });
    expect((await fetchList(visitor)).pages).toEqual([]);
    const size = JSON.stringify({ by: visitor.username }).length + 256;
    expect(await readUsage(owner.id)).toBe(before - 2 * size);
    const notes = await owner.call('GET', `/api/pages/${wall.id}/social-data/notes`);
    expect(notes.body).toMatchObject({ total: 1, records: [{ data: { by: owner.username } }] });
  });

  test('is deleted in parts if there is a lot', async () => {
    const many = 1_050;
    const operations = Array.from({ length: 50 }, () => ({ op: 'create', data: { x: 1 } }));
    const path = `/api/pages/${wall.id}/social-data/many/batch`;
    for (let i = 0; i < many / 50; i++) {
      const answer = await visitor.call('POST', path, { body: { operations } });
      expect(answer.status).toBe(200);
    }
    const first = await deleteOn(visitor, wall.id);
    expect(first.body.isDone).toBe(false);
    const second = await deleteOn(visitor, wall.id);
    expect(second.body).toMatchObject({ isDone: true });
    expect(first.body.deleted + second.body.deleted).toBe(many);
    const counts = await readSql<{ records: number }>(
      quire,
      `SELECT records FROM record_counts JOIN collections ON id = collection_id WHERE name = 'many'`,
    );
    expect(counts.map(({ records }) => Number(records))).toEqual([0]);
  });

  test('followers of the page hear that it is gone', async () => {
    await write(visitor, `/api/pages/${wall.id}/social-data/notes`);
    const abort = new AbortController();
    const stream = await quire.app.fetch(
      new Request(`${quire.baseUrl}/api/pages/${wall.id}/events?collections=notes`, {
        headers: { authorization: `Bearer ${owner.token}` },
        signal: abort.signal,
      }),
      () => '127.0.0.1',
    );
    expect(stream.status).toBe(200);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    await deleteOn(visitor, wall.id);
    while (reader && !seen.includes('deleted')) seen += (await reader.read()).value ?? '';
    expect(seen).toContain('deleted');
    abort.abort();
    await reader?.cancel().catch(() => undefined);
  });

  test('files of a team are listed and deleted', async () => {
    const team = await owner.publish({ name: 'Team', storage_mode: 'team_app' });
    await runSql(
      quire,
      `INSERT INTO team_members (page_id, user_id, role, joined_at) VALUES (${team.id}, ${visitor.id}, 'member', 1)`,
    );
    const form = new FormData();
    form.set('file', new File(['0123456789'], 't.txt'));
    await quire.request(`/api/pages/${team.id}/team-files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${visitor.token}` },
      body: form,
    });
    expect((await fetchList(visitor)).pages).toMatchObject([{ pageId: team.id, files: 1, bytes: 10 }]);
    expect(await deleteOn(visitor, team.id)).toMatchObject({ body: { deleted: 1, isDone: true } });
    expect((await fetchList(visitor)).pages).toEqual([]);
  });

  test('a page of their own, and one that does not exist, are refused', async () => {
    expect(await deleteOn(owner, wall.id)).toMatchObject({ status: 404 });
    expect(await deleteOn(visitor, 999_999)).toMatchObject({ status: 404 });
    expect(await quire.call('GET', '/api/auth/stored')).toMatchObject({ status: 401 });
  });
});
