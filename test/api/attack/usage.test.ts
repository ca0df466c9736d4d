import { afterAll, beforeAll, expect, test } from 'bun:test';
import { publishSample } from '../../attack/publish-sample.ts';
import { functionSamples } from '../../attack/samples/functions.ts';
import type { Sample } from '../../attack/samples/sample.ts';
import type { TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { readSql } from '../../support/engines/storage.ts';

/** Copies that are attacked do not count towards the quota of their owner, and are no way around it either. */

const MB = 1024 * 1024;
/** What an attack writes on a copy, which counts until the copy is removed. */
const WRITTEN = 256 * 1024;

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp({
    QUIRE_QUOTA_PAGES: '3',
    QUIRE_QUOTA_FUNCTIONS: '4',
    QUIRE_QUOTA_BYTES: String(8 * MB),
  });
});
afterAll(() => app.quire.stop());

const found = functionSamples.find(({ name }) => name === 'secret notes, by any id');
const SAMPLE: Sample = found ?? functionSamples[0] ?? { name: '', mode: 'page', html: '', holes: [] };

let count = 0;
async function publish(): Promise<{ id: number; owner: TestUser }> {
  const index = ++count;
  const owner = await app.quire.user(`counted${index}`);
  return { owner, id: await publishSample(app.quire, owner, SAMPLE, index) };
}

const attack = (owner: TestUser, id: number) => owner.call('POST', `/api/pages/${id}/attack`);

/** What is shown. */
async function readUsage(owner: TestUser) {
  // Others get a turn only here: SQLite answers at once.
  await new Promise(setImmediate);
  const { pages, functions, storage } = (await owner.call('GET', '/api/home')).body;
  return { pages, functions, bytes: storage.bytes as number };
}
/** What is stored. */
const readCounted = async ({ id }: TestUser) =>
  (await readSql(app.quire, `SELECT pages, functions, bytes FROM usage WHERE user_id = ${id}`))[0];

test('what people see of their usage stays as it is while a copy is attacked, and afterwards', async () => {
  const { owner, id } = await publish();
  await owner.publish({ name: 'Heavy', html_content: `<!doctype html><title>x</title>${'x'.repeat(MB)}` });
  const before = await readUsage(owner);
  const counted = await readCounted(owner);
  let isOver = false;
  const attacked = attack(owner, id).finally(() => {
    isOver = true;
  });
  let most = 0;
  while (!isOver) {
    const { pages, functions, bytes } = await readUsage(owner);
    expect([pages, functions]).toEqual([before.pages, before.functions]);
    expect(bytes).toBeGreaterThanOrEqual(before.bytes);
    most = Math.max(most, bytes);
  }
  expect((await attacked).body.findings).toMatchObject([{ kind: 'function-reads' }]);
  expect(most - before.bytes).toBeLessThan(WRITTEN);
  expect(await readCounted(owner)).toEqual(counted);
});

test('an owner with all pages and functions that they can have can attack, and gets no more of them', async () => {
  const { owner, id } = await publish();
  while ((await owner.call('GET', '/api/home')).body.pages < 3) await owner.publish();
  for (let at = 0; at < 3; at++)
    await app.deploy(handler('return new Response("x")'), { slug: `more-${at}` }, owner);
  const addPage = async () =>
    (await owner.call('POST', '/api/pages', { body: { name: 'One more', html_content: '<p>' } })).body.code;
  const deploy = { slug: 'one-more', code: handler('return new Response("x")') };
  const addFunction = async () => (await owner.call('POST', '/api/functions', { body: deploy })).body.code;
  let isOver = false;
  const attacked = attack(owner, id).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await readUsage(owner)).pages).toBe(3);
    expect(await addPage()).toBe('QUOTA_EXCEEDED');
  }
  expect((await attacked).body.findings).toMatchObject([{ kind: 'function-reads' }]);
  expect([await addPage(), await addFunction()]).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
});

test('a page cannot be attacked without storage for what is written on the copy, and nothing is left', async () => {
  const { owner, id } = await publish();
  const html = (bytes: number) => `<!doctype html><title>x</title>${'x'.repeat(bytes)}`;
  await owner.publish({ name: 'Heavy', html_content: html(3.75 * MB) });
  await owner.publish({ name: 'Heavy', html_content: html(3.75 * MB) });
  const counted = await readCounted(owner);
  const refused = await attack(owner, id);
  expect(refused.body.code).toBe('QUOTA_EXCEEDED');
  expect(await readCounted(owner)).toEqual(counted);
});

test('three copies of a page are there at once, at most', async () => {
  const { owner, id } = await publish();
  const answers = await Promise.all(Array.from({ length: 5 }, () => attack(owner, id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409]);
  expect(await readUsage(owner)).toMatchObject({ pages: 1, functions: 1 });
}, 60_000);

test('what was made for a copy is removed with it, and joins no other page', async () => {
  const { owner, id } = await publish();
  const counted = await readCounted(owner);
  const copies: string[] = [];
  const taken: unknown[] = [];
  const attacked = attack(owner, id);
  while (copies.length === 0) {
    await new Promise(setImmediate);
    const rows = await readSql<{ page_id: number; slug: string }>(
      app.quire,
      `SELECT page_id, slug FROM functions WHERE owner_id = ${owner.id} AND page_id <> ${id}`,
    );
    for (const { page_id, slug } of rows) {
      copies.push(slug);
      const leave = await owner.call('PATCH', `/api/pages/${page_id}`, { body: { functions: [] } });
      const join = await owner.call('PATCH', `/api/pages/${id}`, { body: { functions: [slug] } });
      taken.push([leave.status, join.status]);
    }
  }
  await attacked;
  expect(taken).toEqual([[200, 400]]);
  expect(await readCounted(owner)).toMatchObject({ pages: 1, functions: 1 });
  expect(await readCounted(owner)).toEqual(counted);
});

test('a rehearsed merge that removes a function leaves no copy of it', async () => {
  const { owner, id } = await publish();
  const { page } = await app.branch(id, 'less', { data: 'schema' }, owner);
  const detail = (await owner.call('GET', `/api/pages/${id}/branches/less`)).body;
  const [{ slug }] = detail.functions;
  expect((await owner.call('DELETE', `/api/functions/${slug}`)).status).toBe(204);
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>Without it' } });
  const merged = await owner.call('POST', `/api/pages/${id}/branches/less/merge`, { body: {} });
  expect([merged.status, merged.body.error]).toEqual([200, undefined]);
  const rows = await readSql(app.quire, `SELECT slug FROM functions WHERE owner_id = ${owner.id}`);
  expect(rows).toHaveLength(1);
  expect(await readCounted(owner)).toMatchObject({ pages: 2, functions: 1 });
}, 60_000);
