import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TemplateSummary } from '../../../contract/templates/templates.ts';
import { installedPackage } from '../../support/functions/installed-package.ts';
import { type NpmRegistry, startNpmRegistry } from '../../support/functions/npm-registry.ts';
import { type FunctionServer, startFunctionServer } from '../../support/functions/server.ts';
import { PASSWORD } from '../../support/http/call.ts';
import { call, register } from '../../support/http/client.ts';

/** A template becomes a page in one operation: all of it, or nothing. */

let registry: NpmRegistry;
let server: FunctionServer;
beforeAll(async () => {
  registry = startNpmRegistry();
  registry.add(installedPackage('zod'), installedPackage('hono'));
  server = await startFunctionServer({ settings: { QUIRE_NPM_REGISTRY: registry.url } });
});
afterAll(async () => {
  await server.stop();
  await registry.stop();
});

async function createToken(scopes: string[]): Promise<string> {
  const body = { username: server.owner.username, password: PASSWORD, scopes };
  return (await call(server, 'POST', '/api/auth/token', { body })).body.accessToken;
}

const publish = (key: string, body: object, token = server.owner.token) =>
  call(server, 'POST', `/api/templates/${key}/pages`, { token, body });
const get = async (path: string) => (await call(server, 'GET', path, { token: server.owner.token })).body;
const countAll = async () => [(await get('/api/pages')).total, (await get('/api/functions?mine=true')).total];

test('a template with a function is published, also twice, with a free slug', async () => {
  const first = await publish('signed-book', { name: 'Our <book>' });
  expect([first.status, first.body.page?.is_published]).toEqual([201, true]);
  expect(first.body).toMatchObject({ page: { name: 'Our <book>', storage_mode: 'page' }, version: 1 });
  const second = await publish('signed-book', { name: 'Our $& book', is_published: false });
  expect(second.body.page).toMatchObject({ is_published: false });
  const { functions } = await get('/api/functions?mine=true');
  const slugs = functions.map(({ slug }: { slug: string }) => slug);
  const { username } = server.owner;
  expect(slugs).toEqual(expect.arrayContaining([`signed-book-${username}`, `signed-book-${username}-2`]));
  const { html_content: html } = await get(`/api/pages/${second.body.page.id}`).then(({ page }) => page);
  expect(html).toContain(`signed-book-${username}-2`);
  expect(html).toContain('Our $&amp; book');
  expect(html).not.toContain('__NAME__');
});

test('a name that is like that of the function stays as it is', async () => {
  const { body } = await publish('signed-book', { name: 'My signed-book' });
  const { html_content: html } = (await get(`/api/pages/${body.page.id}`)).page;
  expect(html).toContain('<title>My signed-book</title>');
  expect(html).toContain(`signed-book-${server.owner.username}`);
});

test('its schemas, agent spec and features are set', async () => {
  const { body } = await publish('wall', { name: 'Choir', is_published: false });
  const path = `/api/pages/${body.page.id}`;
  const wrong = { token: server.owner.token, body: { data: { other: 1 } } };
  expect((await call(server, 'POST', `${path}/social-data/notes`, wrong)).status).toBe(422);
  const { body: studio } = await publish('studio', { name: 'Pictures' });
  expect(studio.page).toMatchObject({ page_api_ai_enabled: true, is_published: true });
});

test('every template can be published in every language', async () => {
  const { templates } = await get('/api/templates');
  for (const { key } of templates as TemplateSummary[]) {
    const { next } = await get(`/api/templates/${key}`);
    expect([key, next]).toEqual([key, [expect.any(String), expect.any(String), expect.any(String)]]);
    for (const language of ['en', 'de']) {
      const { status, body } = await publish(key, { name: 'Fenster & Tür', language });
      expect([key, status]).toEqual([key, 201]);
      const { page } = await get(`/api/pages/${body.page.id}`);
      expect([key, /<html lang="(\w+)"/.exec(page.html_content)?.[1]]).toEqual([key, language]);
      for (const piece of ['<title>Fenster &amp; Tür</title>', '>Fenster &amp; Tür</h1>'])
        expect([key, page.html_content.includes(piece)]).toEqual([key, true]);
      for (const slug of page.functions) {
        const { description } = await get(`/api/functions/${slug}`);
        expect([key, description]).toEqual([key, expect.stringContaining('Fenster & Tür')]);
      }
      await call(server, 'DELETE', `/api/pages/${page.id}`, { token: server.owner.token });
    }
  }
});

test('every template has a picture in every language, with texts in that language', async () => {
  const { templates: english } = await get('/api/templates');
  const { templates: german } = await get('/api/templates?language=de');
  expect(german.map(({ key }: TemplateSummary) => key)).toEqual(
    english.map(({ key }: TemplateSummary) => key),
  );
  const digests = new Set<string>();
  for (const { key, picture } of [...english, ...german] as TemplateSummary[]) {
    const response = await fetch(`http://127.0.0.1:${server.port}${picture}`);
    expect([key, response.status, response.headers.get('content-type')]).toEqual([key, 200, 'image/webp']);
    digests.add(Bun.hash(await response.bytes()).toString());
  }
  expect(digests.size).toBe(english.length + german.length);
  expect((await get('/api/templates?language=fr')).code).toBe('BAD_REQUEST');
});

test('samples are there, can be removed, and stay if somebody changed them', async () => {
  const { token } = server.owner;
  const { body } = await publish('wall', { name: 'Samples' });
  const path = `/api/pages/${body.page.id}`;
  const list = async () => (await get(`${path}/social-data/notes`)).records;
  const [first, ...others] = await list();
  expect(others.length).toBeGreaterThan(0);
  expect(first.data.sample).toBe(true);
  expect(await get(`${path}/samples`)).toEqual({ has_samples: true });
  const change = { token, body: { data: { text: 'Mine now' } } };
  expect((await call(server, 'PATCH', `${path}/social-data/notes/${first.id}`, change)).status).toBe(200);
  expect((await call(server, 'DELETE', `${path}/samples`, { token })).status).toBe(200);
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([first.id]);
  expect(await get(`${path}/samples`)).toEqual({ has_samples: false });
  expect((await call(server, 'DELETE', `${path}/samples`, { token })).status).toBe(200);
});

test('samples in a database are removed too', async () => {
  const { body } = await publish('signed-book', { name: 'With notes' });
  const path = `/api/pages/${body.page.id}/samples`;
  const { html_content: html, functions } = (await get(`/api/pages/${body.page.id}`)).page;
  const slug = /signed-book-[\w-]+/.exec(html)?.[0];
  expect(functions).toEqual([slug]);
  const count = async () => (await call(server, 'POST', `/api/functions/${slug}`)).body.data.total;
  expect(await count()).toBeGreaterThan(0);
  expect((await call(server, 'DELETE', path, { token: server.owner.token })).status).toBe(200);
  expect(await count()).toBe(0);
});

test('samples are not forgotten if the token cannot remove them', async () => {
  const token = await createToken(['pages:write']);
  for (const key of ['wall', 'signed-book']) {
    const { body } = await publish(key, { name: 'Kept' });
    const path = `/api/pages/${body.page.id}/samples`;
    const refused = await call(server, 'DELETE', path, { token });
    expect([key, refused.status, refused.body.code]).toEqual([key, 403, 'INSUFFICIENT_SCOPE']);
    expect(await get(path)).toEqual({ has_samples: true });
  }
});

test('a member of the team removes what they may remove, and the rest stays known', async () => {
  const { token } = server.owner;
  const editor = await register(server, 'samples-editor');
  const made: Array<{ key: string; path: string }> = [];
  for (const key of ['signed-book', 'team-board']) {
    const { body } = await publish(key, { name: `Shared ${key}` });
    const path = `/api/pages/${body.page.id}`;
    made.push({ key, path });
    await call(server, 'PATCH', path, { token, body: { storage_mode: 'team_app' } });
    const invite = await call(server, 'POST', `${path}/team/invite`, { token, body: { role: 'admin' } });
    const joined = await call(server, 'POST', `/api/join/${invite.body.inviteCode}`, { token: editor.token });
    expect([key, joined.status]).toEqual([key, 200]);
  }
  const remove = (path: string, by: string) => call(server, 'DELETE', `${path}/samples`, { token: by });
  for (const { key, path } of made) {
    const isRows = key === 'signed-book';
    const byEditor = await remove(path, editor.token);
    expect([key, byEditor.status, byEditor.body.has_samples]).toEqual([key, 200, isRows]);
    expect(await get(`${path}/samples`)).toEqual({ has_samples: isRows });
    const byOwner = await remove(path, token);
    expect([key, byOwner.status, byOwner.body.has_samples]).toEqual([key, 200, false]);
  }
});

test('samples whose function is gone are forgotten', async () => {
  const { body } = await publish('signed-book', { name: 'Without function' });
  const { html_content: html } = (await get(`/api/pages/${body.page.id}`)).page;
  const { token } = server.owner;
  await call(server, 'DELETE', `/api/functions/${/signed-book-[\w-]+/.exec(html)?.[0]}`, { token });
  const path = `/api/pages/${body.page.id}/samples`;
  expect((await call(server, 'DELETE', path, { token })).status).toBe(200);
  expect(await get(path)).toEqual({ has_samples: false });
});

test('strangers can neither read nor remove the samples of a page', async () => {
  const { body } = await publish('wall', { name: 'Private', is_published: false });
  const stranger = await register(server, 'samples-stranger');
  for (const method of ['GET', 'DELETE'])
    expect(
      (await call(server, method, `/api/pages/${body.page.id}/samples`, { token: stranger.token })).status,
    ).toBe(404);
});

describe('a request with a key', () => {
  const key = (start: string) => start.padEnd(16, 'k');

  test('makes one page, also if it is sent again, one after the other or at the same time', async () => {
    const [pages = 0, functions = 0] = await countAll();
    const wish = { name: 'Once & only', request_key: key('once') };
    const first = await publish('signed-book', wish);
    const again = await publish('signed-book', wish);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    const race = { name: 'Raced', request_key: key('race') };
    const raced = await Promise.all([publish('signed-book', race), publish('signed-book', race)]);
    expect(raced.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(raced.map(({ body }) => body.page.id)).size).toBe(1);
    expect(await countAll()).toEqual([pages + 2, functions + 2]);
  });

  test('makes another page with other words, for another person, and after the first was deleted', async () => {
    const wish = { name: 'First words', request_key: key('words') };
    const first = (await publish('blank', wish)).body.page.id;
    const ids = [(await publish('blank', { ...wish, name: 'Other words' })).body.page.id];
    ids.push((await publish('blank', { ...wish, is_published: false })).body.page.id);
    ids.push((await publish('blank', { ...wish, language: 'de' })).body.page.id);
    ids.push((await publish('launch', wish)).body.page.id);
    const other = await register(server, 'template-key-other');
    ids.push((await publish('blank', wish, other.token)).body.page.id);
    await call(server, 'DELETE', `/api/pages/${first}`, { token: server.owner.token });
    const anew = await publish('blank', wish);
    expect([anew.status, new Set([first, ...ids, anew.body.page.id]).size]).toEqual([201, 7]);
  });

  test.each([
    [15, 400],
    [16, 201],
    [64, 201],
    [65, 400],
  ])('can have %d characters: %d', async (length, status) => {
    const asked = await publish('blank', { name: 'Long key', request_key: 'x'.repeat(length) });
    expect(asked.status).toBe(status);
  });
});

test('nothing is left behind if a step fails', async () => {
  const before = await countAll();
  const token = await createToken(['pages:write', 'functions:write']);
  // Its schemas need another scope.
  expect((await publish('wall', { name: 'Half' }, token)).status).toBe(403);
  const reader = await createToken(['pages:write']);
  expect((await publish('signed-book', { name: 'Half' }, reader)).status).toBe(403);
  expect((await publish('wall', { name: '' })).status).toBe(400);
  expect((await publish('nothing', { name: 'x' })).status).toBe(404);
  expect((await publish('wall', { name: 'x', language: 'tlh' })).status).toBe(400);
  expect(await countAll()).toEqual(before);
});

test('nothing is left behind if the client goes away', async () => {
  const before = await countAll();
  const controller = new AbortController();
  const send = (name: string) =>
    fetch(`http://127.0.0.1:${server.port}/api/templates/signed-book/pages`, {
      method: 'POST',
      headers: {
        host: new URL(server.baseUrl).host,
        authorization: `Bearer ${server.owner.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name }),
      signal: controller.signal,
    }).catch((error: Error) => error.name);
  const sent = ['a', 'b', 'c', 'd'].map(send);
  while (String(await countAll()) === String(before)) await Bun.sleep(1);
  controller.abort();
  expect(await Promise.all(sent)).toContain('AbortError');
  // What the server had finished before is complete: a page with its function.
  const isWhole = async () => {
    const [pages = 0, functions = 0] = await countAll();
    return pages - (before[0] ?? 0) === functions - (before[1] ?? 0);
  };
  await publish('signed-book', { name: 'Last' });
  while (!(await isWhole())) await Bun.sleep(10);
});
