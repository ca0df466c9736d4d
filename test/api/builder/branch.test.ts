import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type BuilderApp, lastResults, runBuilder, startBuilderApp } from '../../support/agents/builder.ts';
import type { TestUser } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** On a branch the builder can change the functions that the branch has. */

let service: BuilderApp;
let ada: TestUser;
beforeAll(async () => {
  service = await startBuilderApp({ QUIRE_CHROMIUM: 'off' });
  ada = await service.quire.user();
});
afterAll(() => service.stop());

const saying = (word: string) => `export default { fetch: () => new Response("${word}") }`;
const readCode = async (slug: string) => (await ada.call('GET', `/api/functions/${slug}/code`)).body.code;

/** A page with a function, and its branch. */
async function makeBranch(name: string, data: 'all' | 'masked') {
  const { id } = await ada.publish({ name, storage_mode: 'social_app' });
  const slug = `fn-${name}`;
  const body = { slug, code: saying('old') };
  expect((await ada.call('POST', '/api/functions', { body })).status).toBe(201);
  await ada.call('PATCH', `/api/pages/${id}`, { body: { functions: [slug] } });
  const path = `/api/pages/${id}/branches`;
  expect((await ada.call('POST', path, { body: { name: 'try', data } })).status).toBe(201);
  const read = async () => (await ada.call('GET', `${path}/try`)).body;
  await waitUntil(async () => (await read()).state === 'ready', 30_000);
  const { page, functions } = await read();
  expect(functions).toMatchObject([{ name: slug }]);
  return { slug, branch: page.id as number, copy: functions[0].slug as string };
}

const change = (slug: string) => ({ name: 'update_function', input: { slug, code: saying('new') } });

test('it reads, changes and calls them, and never those of the page', async () => {
  const { slug, branch, copy } = await makeBranch('shop', 'masked');
  service.vendor.play([
    { calls: [{ name: 'read_file', input: { slug: copy } }, change(copy)] },
    { calls: [{ name: 'call_function', input: { slug: copy } }] },
    { calls: [change(slug), { name: 'read_file', input: { slug } }] },
    { text: 'It says something new.' },
  ]);
  const { all, done } = await runBuilder(service.quire, ada, { prompt: 'Say something new' }, branch);
  expect(done?.outcome).toBe('finished');
  const states = all('tool')
    .map(({ name, state }) => `${name} ${state}`)
    .filter((each) => /done|failed/.test(each));
  expect(states).toEqual([
    ...['read_file done', 'update_function done', 'call_function done'],
    ...['update_function failed', 'read_file failed'],
  ]);
  expect(lastResults(service.vendor)).toContain('or that belong to this branch');
  expect([await readCode(copy), await readCode(slug)]).toEqual([saying('new'), saying('old')]);
  expect(JSON.stringify(service.vendor.seen.at(-1)?.body.messages)).toContain('The page is a branch');
}, 60_000);

test('a run says which versions functions of the branch had before, over all runs for one draft', async () => {
  const { branch, copy } = await makeBranch('versions', 'masked');
  const update = (word: string) => ({ name: 'update_function', input: { slug: copy, code: saying(word) } });
  const added = { name: 'deploy_function', input: { slug: 'fn-of-run', code: saying('added') } };
  const again = { name: 'update_function', input: { slug: 'fn-of-run', code: saying('changed') } };
  const save = { name: 'save_draft', input: { html_content: '<!doctype html><title>t</title><p>New' } };
  service.vendor.play([{ calls: [update('new'), added, again, save] }, { text: 'Done.' }]);
  const first = await runBuilder(service.quire, ada, { prompt: 'New' }, branch);
  expect(first.all('change')).toEqual([{ type: 'change', slug: copy, from: 1, to: 2 }]);
  const next = { prompt: 'Newer', draft: first.done?.draft };
  service.vendor.play([{ calls: [update('newer'), again] }, { text: 'Done.' }]);
  const second = await runBuilder(service.quire, ada, next, branch);
  expect(second.all('change')).toEqual([{ type: 'change', slug: copy, from: 2, to: 3 }]);
  service.vendor.play([{ text: 'Nothing to do.' }]);
  const third = await runBuilder(service.quire, ada, next, branch);
  expect(third.all('run')[0]?.run).toMatchObject({
    functions: ['fn-of-run'],
    changes: [{ slug: copy, from: 1, to: 3 }],
  });
  service.vendor.play([{ text: 'Nothing to do.' }]);
  const other = await runBuilder(service.quire, ada, { prompt: 'Another' }, branch);
  expect(other.all('run')[0]?.run?.changes).toBeUndefined();
}, 60_000);

test('a function that it adds belongs to the branch', async () => {
  const { branch } = await makeBranch('adds', 'masked');
  const input = { slug: 'fn-added', code: saying('added') };
  service.vendor.play([
    {
      calls: [
        { name: 'deploy_function', input },
        { name: 'call_function', input: { slug: 'fn-added' } },
      ],
    },
    { text: 'I added one.' },
  ]);
  const { all } = await runBuilder(service.quire, ada, { prompt: 'Add one' }, branch);
  expect(all('tool').filter(({ state }) => state === 'failed')).toEqual([]);
  const { functions } = (await ada.call('GET', `/api/pages/${branch}`)).body.page;
  expect(functions).toContain('fn-added');
}, 60_000);

test('it leaves those alone that have secrets', async () => {
  const { branch, copy } = await makeBranch('secret', 'masked');
  const body = { value: 'hidden' };
  expect((await ada.call('PUT', `/api/functions/${copy}/secrets/KEY`, { body })).status).toBeLessThan(300);
  service.vendor.play([{ calls: [change(copy), { name: 'call_function', input: { slug: copy } }] }, {}]);
  const { all } = await runBuilder(service.quire, ada, { prompt: 'Say something new' }, branch);
  expect(all('tool').filter(({ state }) => state === 'failed')).toHaveLength(2);
  expect(await readCode(copy)).toBe(saying('old'));
}, 60_000);

test('it changes them and cannot call them if the branch has the data of real people', async () => {
  const { branch, copy } = await makeBranch('real', 'all');
  service.vendor.play([
    { calls: [change(copy), { name: 'call_function', input: { slug: copy } }] },
    { calls: [{ name: 'run_sql_script', input: { slug: copy, script: 'SELECT 1' } }] },
    { text: 'Try it yourself.' },
  ]);
  const { all } = await runBuilder(service.quire, ada, { prompt: 'Say something new' }, branch);
  const failed = all('tool').filter(({ state }) => state === 'failed');
  expect(failed.map(({ name }) => name)).toEqual(['call_function', 'run_sql_script']);
  expect(lastResults(service.vendor)).toContain('the data of real people');
  expect(await readCode(copy)).toBe(saying('new'));
}, 60_000);

test('a page that is not a branch keeps its functions', async () => {
  const { slug } = await makeBranch('main', 'masked');
  const { pages } = (await ada.call('GET', '/api/pages?q=main')).body;
  service.vendor.play([{ calls: [change(slug)] }, { text: 'I cannot.' }]);
  await runBuilder(service.quire, ada, { prompt: 'Say something new' }, pages[0].id);
  expect(lastResults(service.vendor)).toContain('You can only use functions here that you deployed');
  expect(await readCode(slug)).toBe(saying('old'));
}, 60_000);
