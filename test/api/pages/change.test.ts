import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

const patch = (id: number, body: unknown) => owner.call('PATCH', `/api/pages/${id}`, { body });
const read = async (id: number) => (await owner.call('GET', `/api/pages/${id}`)).body;

describe('changing a page', () => {
  test('returns success, with the slug or the storage mode if those were given', async () => {
    const { id, url } = await owner.publish({ name: 'Answers' });
    const always = {
      success: true,
      message: expect.any(String),
      url,
      version: 1,
      warnings: [],
      page: expect.any(Object),
      versionCount: 1,
      storageMode: expect.any(String),
      role: 'owner',
    };
    expect((await patch(id, { name: 'Renamed' })).body).toEqual(always);
    always.url = `${quire.baseUrl}/p/new-slug`;
    expect((await patch(id, { slug: 'New Slug!' })).body).toEqual({ ...always, slug: 'new-slug' });
    expect((await patch(id, { storage_mode: 'social_app' })).body).toEqual({
      ...always,
      storage_mode: 'social_app',
    });
    always.url = `${quire.baseUrl}/p/both`;
    expect((await patch(id, { slug: 'both', storage_mode: 'page', description: 'x' })).body).toEqual({
      ...always,
      slug: 'both',
      storage_mode: 'page',
    });
    expect((await patch(id, {})).body.success).toBe(true);
  });

  test('sets every field', async () => {
    const { id } = await owner.publish({ name: 'Fields' });
    const fields = {
      name: 'All',
      description: 'of them',
      html_content: '<p>new',
      page_api_ai_enabled: true,
      page_api_image_gen_enabled: true,
      page_api_image_search_enabled: true,
      page_api_image_recognition_enabled: true,
      page_api_spawn_enabled: true,
      is_published: false,
      is_unlisted: true,
    };
    expect((await patch(id, fields)).status).toBe(200);
    expect((await read(id)).page).toMatchObject(fields);
    expect((await patch(id, { is_published: true, page_api_spawn_enabled: false })).status).toBe(200);
    expect((await read(id)).page).toMatchObject({
      ...fields,
      is_published: true,
      page_api_spawn_enabled: false,
    });
  });

  test('returns the page as it is then, without its document', async () => {
    const { id } = await owner.publish({ name: 'State' });
    await quire.request('/p/state');
    for (const change of [
      {},
      { name: 'Other', description: 'said', slug: 'another-state', is_listed: true },
      { html_content: '<p>two', note: 'A second one.' },
      { is_published: false },
      { is_published: true, is_unlisted: true, storage_mode: 'team_app', page_api_spawn_enabled: true },
      { access: { mode: 'people', people: ['stranger', 'owner'], expires_at: '2100-01-01T00:00:00.000Z' } },
    ]) {
      const { page, versionCount, storageMode, role } = (await patch(id, change)).body;
      const { conversationId, messages, folderSeal, ...expected } = await read(id);
      expect(expected.page.html_content).toBeString();
      delete expected.page.html_content;
      expect({ page, versionCount, storageMode, role }).toEqual(expected);
    }
  });

  test('says that a page that is no longer published has left the gallery', async () => {
    const { id } = await owner.publish({ name: 'Leaves' });
    expect((await patch(id, { is_listed: true })).body.page.is_listed).toBe(true);
    expect((await patch(id, { is_published: false })).body.page.is_listed).toBe(false);
  });

  test('returns the role of an admin, and none once the page has no team', async () => {
    const { id } = await owner.publish({ name: 'Of a team', storage_mode: 'team_app' });
    const { inviteCode } = (
      await owner.call('POST', `/api/pages/${id}/team/invite`, { body: { role: 'admin' } })
    ).body;
    const admin = await quire.user('its-admin');
    await admin.call('POST', `/api/join/${inviteCode}`);
    expect((await admin.call('GET', `/api/pages/${id}`)).body.role).toBe('admin');
    const change = (body: object) => admin.call('PATCH', `/api/pages/${id}`, { body });
    expect((await change({ description: 'by an admin' })).body.role).toBe('admin');
    expect((await change({ storage_mode: 'solo_app' })).body).toMatchObject({
      storageMode: 'solo_app',
      role: null,
    });
    expect((await admin.call('GET', `/api/pages/${id}`)).status).toBe(403);
  });

  test('applies all fields or none', async () => {
    await owner.publish({ name: 'Occupied' });
    const { id } = await owner.publish({ name: 'Atomic' });
    const before = await read(id);
    const change = { name: 'Changed', html_content: '<p>changed', description: 'changed' };
    for (const bad of [
      { ...change, slug: 'occupied' },
      { ...change, slug: '!' },
      { ...change, base_version: 7 },
      { ...change, storage_mode: 'none' },
      { ...change, unknown: 1 },
    ]) {
      expect((await patch(id, bad)).status).toBeGreaterThanOrEqual(400);
      expect(await read(id)).toEqual(before);
    }
  });

  test.each([
    ['', 400, 'INVALID_SLUG'],
    ['a', 400, 'INVALID_SLUG'],
    ['!?&', 400, 'INVALID_SLUG'],
    ['日本', 400, 'INVALID_SLUG'],
    ['taken-slug', 409, 'SLUG_TAKEN'],
    ['Taken Slug!', 409, 'SLUG_TAKEN'],
    [5, 400, 'BAD_REQUEST'],
  ])('refuses the slug %j with %i %s', async (slug, status, code) => {
    if (!(await quire.request('/p/taken-slug')).ok) await owner.publish({ name: 'Taken slug' });
    const { id } = await owner.publish({ name: 'Wants a slug' });
    const answer = await patch(id, { slug });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('accepts a slug of 200 characters, cut to 100, and refuses one of 201', async () => {
    const { id } = await owner.publish({ name: 'Wants a long slug' });
    expect((await patch(id, { slug: 'é'.repeat(200) })).body.slug).toBe('e'.repeat(100));
    const refused = await patch(id, { slug: 'e'.repeat(201) });
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].path).toBe('slug');
  });

  test('accepts its current slug', async () => {
    const { id, slug } = await owner.publish({ name: 'Steady' });
    expect((await patch(id, { slug })).body.slug).toBe(slug);
    expect((await quire.request(`/p/${slug}`)).status).toBe(200);
  });

  test('to one slug for twenty pages at once gives it to exactly one', async () => {
    const pages = await Promise.all(
      Array.from({ length: 20 }, (_, i) => owner.publish({ name: `Runner ${i}` })),
    );
    const answers = await Promise.all(
      pages.map(({ id }) => patch(id, { slug: 'the-prize', description: 'won' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    const descriptions = await Promise.all(pages.map(async ({ id }) => (await read(id)).page.description));
    expect(descriptions.filter((text) => text === 'won').length).toBe(1);
  });
});

describe('versions', () => {
  test('count changes of the document, and nothing else', async () => {
    const { id } = await owner.publish({ name: 'Versioned', html_content: '<p>one' });
    expect((await read(id)).versionCount).toBe(1);
    await patch(id, { html_content: '<p>two' });
    await patch(id, { html_content: '<p>two' });
    await patch(id, { name: 'Other name', html_content: '<p>two' });
    expect((await read(id)).versionCount).toBe(2);
    expect((await read(id)).page.name).toBe('Other name');
  });

  test('can be listed, read and restored without rewriting history', async () => {
    const { id } = await owner.publish({ name: 'History', html_content: '<p>one' });
    await patch(id, { html_content: '<p>second' });
    const list = await owner.call('GET', `/api/pages/${id}/versions`);
    expect(list.body.versions).toEqual([
      { version: 2, createdAt: expect.stringMatching(/Z$/), size: 9, author: 'owner', current: true },
      { version: 1, createdAt: expect.stringMatching(/Z$/), size: 6, author: 'owner', current: false },
    ]);
    const first = await owner.call('GET', `/api/pages/${id}/versions/1`);
    expect(first.body).toMatchObject({ version: 1, html_content: '<p>one', current: false });
    const restored = await owner.call('POST', `/api/pages/${id}/versions/1/restore`);
    expect(restored.body).toMatchObject({ success: true, version: 3 });
    const after = await read(id);
    expect([after.page.html_content, after.versionCount]).toEqual(['<p>one', 3]);
    expect((await owner.call('GET', `/api/pages/${id}/versions/2`)).body.html_content).toBe('<p>second');
    for (const missing of ['0', '9', 'x', '-1', '99999999999']) {
      expect((await owner.call('GET', `/api/pages/${id}/versions/${missing}`)).status).toBe(404);
      expect((await owner.call('POST', `/api/pages/${id}/versions/${missing}/restore`)).status).toBe(404);
    }
  });

  test('prevent overwriting the work of someone else', async () => {
    const { id } = await owner.publish({ name: 'Guarded' });
    expect((await patch(id, { html_content: '<p>mine', base_version: 1 })).status).toBe(200);
    const late = await patch(id, { html_content: '<p>late', base_version: 1 });
    expect([late.status, late.body.code, late.body.currentVersion]).toEqual([409, 'CONFLICT', 2]);
    expect((await read(id)).page.html_content).toBe('<p>mine');
    const racers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => patch(id, { html_content: `<p>${i}`, base_version: 2 })),
    );
    expect(racers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await read(id)).versionCount).toBe(3);
  });

  test('of thirty parallel changes are all kept', async () => {
    const { id } = await owner.publish({ name: 'Busy' });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => patch(id, { html_content: `<p>v${i}` })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await read(id)).versionCount).toBe(31);
    const { versions } = (await owner.call('GET', `/api/pages/${id}/versions`)).body;
    expect(versions.length).toBe(31);
  });
});

describe('a renamed page', () => {
  test('redirects from its old slugs until its owner uses them again', async () => {
    const page = await owner.publish({ name: 'First address' });
    await patch(page.id, { slug: 'second-address' });
    await patch(page.id, { slug: 'third-address' });
    for (const old of ['first-address', 'second-address']) {
      const response = await quire.request(`/p/${old}?a=1`);
      expect([response.status, response.headers.get('location')]).toEqual([301, '/p/third-address?a=1']);
    }
    const again = await owner.publish({ name: 'First address' });
    expect(again.slug).toBe('first-address');
    expect((await quire.request('/p/first-address')).status).toBe(200);
    await patch(page.id, { slug: 'second-address' });
    expect((await quire.request('/p/second-address')).status).toBe(200);
    expect((await quire.request('/p/third-address')).headers.get('location')).toBe('/p/second-address');
  });

  test('does not reveal a draft through a redirect', async () => {
    const page = await owner.publish({ name: 'Old secret', is_published: false });
    await patch(page.id, { slug: 'new-secret' });
    expect((await quire.request('/p/old-secret')).status).toBe(404);
  });
});

describe('the editing thread', () => {
  test('keeps messages in order', async () => {
    const { id } = await owner.publish({ name: 'Thread' });
    const add = (body: unknown) => owner.call('POST', `/api/pages/${id}/messages`, { body });
    const first = await add({ role: 'user', content: 'Make it blue' });
    expect(first.status).toBe(201);
    await add({ role: 'assistant', content: 'Done' });
    expect((await read(id)).messages).toEqual([
      {
        id: expect.any(Number),
        role: 'user',
        content: 'Make it blue',
        createdAt: expect.stringMatching(/Z$/),
      },
      { id: expect.any(Number), role: 'assistant', content: 'Done', createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect((await add({ role: 'system', content: 'x' })).status).toBe(400);
    expect((await add({ role: 'user', content: '' })).status).toBe(400);
  });
});

describe('a fork', () => {
  test('copies document, settings and spec for its new owner, but no history', async () => {
    const source = await owner.publish({
      name: 'Original',
      html_content: '<p>orig',
      storage_mode: 'solo_app',
    });
    await patch(source.id, { description: 'about', page_api_ai_enabled: true, html_content: '<p>v2' });
    await owner.call('PUT', `/api/pages/${source.id}/agent-spec`, { body: { spec: 'how to use me' } });
    const forked = await stranger.call('POST', `/api/pages/${source.id}/fork`);
    expect(forked.status).toBe(201);
    const { id, slug } = forked.body.page;
    expect(slug).toBe('original-2');
    const copy = (await stranger.call('GET', `/api/pages/${id}`)).body;
    expect(copy.page).toMatchObject({
      html_content: '<p>v2',
      description: 'about',
      page_api_ai_enabled: true,
      views: 0,
    });
    expect([copy.versionCount, copy.storageMode]).toEqual([1, 'solo_app']);
    expect((await quire.call('GET', `/api/pages/${id}/agent-spec`)).body.spec).toBe('how to use me');
    expect((await owner.call('GET', `/api/pages/${id}`)).status).toBe(403);
  });

  test('needs a published source, and a token or a login on the base origin', async () => {
    const draft = await owner.publish({ name: 'Draft', is_published: false });
    expect((await stranger.call('POST', `/api/pages/${draft.id}/fork`)).status).toBe(404);
    const page = await owner.publish({ name: 'Forkable' });
    const path = `/api/pages/${page.id}/fork`;
    expect((await quire.call('POST', path)).status).toBe(401);
    const cookie = await stranger.login();
    expect((await quire.call('POST', path, { cookie })).status).toBe(201);
    expect((await quire.call('POST', path, { cookie, headers: { origin: 'null' } })).status).toBe(401);
    expect(
      (await quire.call('POST', path, { cookie, headers: { 'sec-fetch-site': 'same-site' } })).status,
    ).toBe(401);
  });
});

describe('the agent spec', () => {
  test('can be written by the owner and read by anyone, by id or slug', async () => {
    const { id, slug } = await owner.publish({ name: 'With spec', storage_mode: 'team_app' });
    const empty = await quire.call('GET', `/api/pages/${id}/agent-spec`);
    expect([empty.status, empty.body]).toMatchObject([
      200,
      { spec: null, storageMode: 'team_app', schemas: [], updatedAt: null },
    ]);
    const put = await owner.call('PUT', `/api/pages/${id}/agent-spec`, {
      body: { spec: 'x'.repeat(50_000) },
    });
    expect(put.status).toBe(200);
    expect(Object.keys(put.body).sort()).toEqual(['createdAt', 'spec', 'updatedAt']);
    const read = await quire.call('GET', `/api/pages/${slug}/agent-spec`, { token: 'bad token is ignored' });
    expect(read.body).toMatchObject({
      spec: 'x'.repeat(50_000),
      storageMode: 'team_app',
      schemas: [],
      updatedAt: put.body.updatedAt,
    });
    const over = await owner.call('PUT', `/api/pages/${id}/agent-spec`, {
      body: { spec: 'x'.repeat(50_001) },
    });
    expect([over.status, over.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await owner.call('DELETE', `/api/pages/${id}/agent-spec`)).status).toBe(204);
    expect((await quire.call('GET', `/api/pages/${id}/agent-spec`)).body.spec).toBeNull();
  });

  test('has null for the mode "page", and an all-digit name always means the id', async () => {
    const { id } = await owner.publish({ name: 'Plain' });
    const numeric = await owner.publish({ name: String(id) });
    await owner.call('PUT', `/api/pages/${numeric.id}/agent-spec`, { body: { spec: 'of the numeric slug' } });
    const answer = await quire.call('GET', `/api/pages/${id}/agent-spec`);
    expect(answer.body).toMatchObject({ spec: null, storageMode: null, schemas: [], updatedAt: null });
  });

  test('of a draft is visible to its owner only', async () => {
    const { id } = await owner.publish({ name: 'Spec of draft', is_published: false });
    expect((await quire.call('GET', `/api/pages/${id}/agent-spec`)).status).toBe(404);
    expect((await stranger.call('GET', `/api/pages/${id}/agent-spec`)).status).toBe(404);
    expect((await owner.call('GET', `/api/pages/${id}/agent-spec`)).status).toBe(200);
  });
});
