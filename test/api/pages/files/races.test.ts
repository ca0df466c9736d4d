import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../../support/app.ts';
import { readSql } from '../../../support/engines/storage.ts';
import { type FilesApp, filesApp, form } from '../../../support/pages/files.ts';
import { waitUntil } from '../../../support/server.ts';
import { makeZip } from '../../../support/zip.ts';

const WORKERS = 8;
const STEPS = 12;

let app: FilesApp;
beforeAll(async () => {
  app = await filesApp();
});
afterAll(() => app.quire.stop());

const CONTENTS = Array.from({ length: 40 }, (_, at) => `content ${at} `.repeat(20));

/** The same numbers in every run. */
function createDice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

test('pages that share bytes change, fork and end at once: nothing fails, leaks or counts wrong', async () => {
  const { owner, stranger, request, quire } = app;
  const users = [owner, stranger];
  const pages: Array<{ id: number; as: TestUser }> = [];
  for (const as of [...users, ...users]) pages.push({ id: (await as.publish()).id, as });
  const usage = () => readSql(quire, 'select user_id, pages, bytes from usage order by user_id');
  const failures: unknown[] = [];
  const send = async (
    method: string,
    path: string,
    options: { as: TestUser; body?: unknown; type?: string },
  ) => {
    const response = await request(method, path, options);
    if (response.status >= 500) failures.push([method, path, response.status]);
    return response;
  };
  const steps = (roll: (sides: number) => number) => {
    const some = () =>
      Object.fromEntries(
        Array.from({ length: 1 + roll(20) }, () => roll(CONTENTS.length)).map((at) => [
          `${at}.txt`,
          CONTENTS[at] ?? '',
        ]),
      );
    return async () => {
      const { id, as } = pages[roll(pages.length)] ?? { id: 0, as: owner };
      const path = `/api/pages/${id}`;
      const what = roll(10);
      if (what < 4) await send('PUT', `${path}/files`, { as, body: form(some()) });
      else if (what < 5) await send('PUT', `${path}/files/0.txt`, { as, body: CONTENTS[roll(40)] });
      else if (what < 6) await send('POST', `${path}/versions/1/restore`, { as });
      else if (what < 8) {
        const by = users[roll(2)] ?? owner;
        const fork = await send('POST', `${path}/fork`, { as: by });
        if (fork.ok) pages.push({ id: ((await fork.json()) as { page: { id: number } }).page.id, as: by });
      } else if (pages.length > 4) {
        const [ended] = pages.splice(roll(pages.length), 1);
        if (ended) await send('DELETE', `/api/pages/${ended.id}`, { as: ended.as });
      }
    };
  };
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      const step = steps(createDice(worker));
      for (let count = 0; count < STEPS; count++) await step();
    }),
  );
  expect(failures).toEqual([]);

  const counts = await readSql<{ pages: number; used: number }>(
    quire,
    'select pages, (select count(*) from page_blobs where page_blobs.hash = file_blobs.hash) as used from file_blobs',
  );
  expect(counts.length).toBeGreaterThan(0);
  for (const { pages: counted, used } of counts) expect(Number(counted)).toBe(Number(used));
  for (const { id, as } of pages) {
    const archive = await send('GET', `/api/pages/${id}/export`, { as });
    expect((await archive.bytes()).length).toBe(Number(archive.headers.get('content-length')));
  }

  await Promise.all(pages.map(({ id, as }) => send('DELETE', `/api/pages/${id}`, { as })));
  expect(failures).toEqual([]);
  for (const table of ['file_blobs', 'page_blobs', 'page_manifests'])
    expect(await readSql(quire, `select * from ${table}`)).toEqual([]);
  for (const row of (await usage()) as Array<{ pages: number; bytes: number }>)
    expect([Number(row.pages), Number(row.bytes)]).toEqual([0, 0]);
  await waitUntil(async () => app.stored().length === 0);
});

test('archives of others that never arrive do not hold up one that does', async () => {
  const { quire, owner, request } = app;
  const endings: Array<() => void> = [];
  const idle: Promise<Response>[] = [];
  for (let count = 0; count < 6; count++) {
    const user = await quire.user();
    const { id } = await user.publish();
    for (let each = 0; each < 3; each++) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(1));
          endings.push(() => controller.close());
        },
      });
      const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/zip' };
      const sized = { ...headers, 'content-length': '1000' };
      idle.push(quire.request(`/api/pages/${id}/files`, { method: 'PUT', headers: sized, body }));
    }
  }
  const page = await owner.publish();
  const body = makeZip([{ name: 'a.txt', content: 'a' }]);
  const sent = await request('PUT', `/api/pages/${page.id}/files`, { body, type: 'application/zip' });
  expect(sent.status).toBe(200);
  for (const end of endings) end();
  for (const { status } of await Promise.all(idle)) expect(status).toBe(400);
}, 30_000);
