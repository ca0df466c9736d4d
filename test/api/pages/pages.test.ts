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

const HTML = '<!doctype html><title>t</title><p>Hello';
const MIB = 1024 * 1024;

describe('publishing a page', () => {
  test('returns the page, its slug and its URL', async () => {
    const answer = await owner.call('POST', '/api/pages', {
      body: { name: '  My first page ', html_content: HTML, page_api_ai_enabled: true },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      url: `${quire.baseUrl}/p/my-first-page`,
      version: 1,
      warnings: [],
      page: {
        id: expect.any(Number),
        functions: [],
        name: 'My first page',
        slug: 'my-first-page',
        url: `${quire.baseUrl}/p/my-first-page`,
        is_published: true,
        storage_mode: 'page',
        page_api_ai_enabled: true,
        page_api_image_gen_enabled: false,
        page_api_image_search_enabled: false,
        page_api_image_recognition_enabled: false,
      },
    });
  });

  const slugs: Array<[name: string, slug: string | RegExp]> = [
    ['Crème Brûlée à la carte', 'creme-brulee-a-la-carte'],
    ['Straße & Łódź — Ærø', 'strasse-lodz-aero'],
    ['  many   spaces\tand\nlines  ', 'many-spaces-and-lines'],
    ['--- trim - me ---', 'trim-me'],
    ['C++ & C#: 100%', 'c-c-100'],
    ['under_score.and.dots', 'underscoreanddots'],
    ['A', /^page-\d+$/],
    ['!!!', /^page-\d+$/],
    ['日本語', /^page-\d+$/],
    ['x'.repeat(200), 'x'.repeat(100)],
    [`${'y'.repeat(99)} z`, 'y'.repeat(99)],
    ['42', '42'],
    ['😀 smile', 'smile'],
  ];
  test.each(slugs)('turns %j into a slug', async (name, slug) => {
    const page = await owner.publish({ name });
    expect(page.slug).toMatch(slug instanceof RegExp ? slug : new RegExp(`^${slug}$`));
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(200);
  });

  test('numbers slugs that are taken, by anyone and of any length', async () => {
    const first = await owner.publish({ name: 'Same name' });
    const second = await stranger.publish({ name: 'Same name' });
    const third = await owner.publish({ name: 'Same name!' });
    expect([first.slug, second.slug, third.slug]).toEqual(['same-name', 'same-name-2', 'same-name-3']);
    const long: string[] = [];
    for (let i = 0; i < 12; i++) long.push((await owner.publish({ name: 'l'.repeat(150) })).slug);
    expect(new Set(long).size).toBe(12);
    expect(long.every((slug) => slug.length <= 100)).toBe(true);
  });

  test('forty times at once with one name gives forty slugs without a gap', async () => {
    const pages = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? owner : stranger).publish({ name: 'Race day' })),
    );
    const expected = ['race-day', ...Array.from({ length: 39 }, (_, i) => `race-day-${i + 2}`)];
    expect(pages.map(({ slug }) => slug).sort()).toEqual(expected.sort());
  });

  test('ten times at once with a name without letters gives each its own id', async () => {
    await owner.publish({ name: 'page 1' });
    const pages = await Promise.all(Array.from({ length: 10 }, () => owner.publish({ name: '?' })));
    for (const page of pages) expect(page.slug).toStartWith(`page-${page.id}`);
  });

  const good = { name: 'Good', html_content: HTML };
  const bad: Array<[string, unknown, string]> = [
    ['no name', { html_content: HTML }, 'name'],
    ['an empty name', { ...good, name: '   ' }, 'name'],
    ['a name of 201 characters', { ...good, name: 'n'.repeat(201) }, 'name'],
    ['a name with NUL', { ...good, name: 'a\0b' }, 'name'],
    ['a name with half a character', { ...good, name: 'a\ud800b' }, 'name'],
    ['no document', { name: 'x' }, 'html_content'],
    ['an empty document', { ...good, html_content: '' }, 'html_content'],
    ['a document with NUL', { ...good, html_content: 'a\0b' }, 'html_content'],
    ['a document with half a character', { ...good, html_content: 'a\udc00b' }, 'html_content'],
    ['a number as document', { ...good, html_content: 5 }, 'html_content'],
    ['a description of 501 characters', { ...good, description: 'd'.repeat(501) }, 'description'],
    ['null as description', { ...good, description: null }, 'description'],
    ['an unknown storage mode', { ...good, storage_mode: 'cloud' }, 'storage_mode'],
    ['a word for a flag', { ...good, page_api_ai_enabled: 'yes' }, 'page_api_ai_enabled'],
    ['a misspelt field', { ...good, html: HTML }, 'html'],
    ['a slug', { ...good, slug: 'mine' }, 'slug'],
  ];
  test.each(bad)('refuses %s, and names the field', async (_, body, field) => {
    const answer = await owner.call('POST', '/api/pages', { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.details.map((fault: { path: string }) => fault.path)).toContain(field);
    expect(answer.body.error).toContain(field);
  });

  test('accepts a name of 200 and a description of 500 characters, also emoji', async () => {
    const answer = await owner.call('POST', '/api/pages', {
      body: { ...good, name: '😀'.repeat(200), description: '😀'.repeat(500) },
    });
    expect(answer.status).toBe(201);
  });

  test('accepts a document of exactly 4 MiB and refuses one byte more', async () => {
    const filled = (bytes: number) => '<p>'.padEnd(bytes, 'x');
    const fits = await owner.call('POST', '/api/pages', { body: { ...good, html_content: filled(4 * MIB) } });
    expect(fits.status).toBe(201);
    const over = await owner.call('POST', '/api/pages', {
      body: { ...good, html_content: filled(4 * MIB + 1) },
    });
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const wide = await owner.call('POST', '/api/pages', {
      body: { ...good, html_content: 'é'.repeat(2 * MIB + 1) },
    });
    expect(wide.status).toBe(413);
  });

  test('does not accept prototype keys as fields', async () => {
    const response = await quire.request('/api/pages', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: '{"name":"x","html_content":"x","__proto__":{"is_published":false},"constructor":{}}',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('__proto__');
  });
});

describe('reading pages', () => {
  test('returns the document, the counts and the thread of a page', async () => {
    const { id, slug } = await owner.publish({
      name: 'Readable',
      description: 'd',
      storage_mode: 'team_app',
    });
    const { body, status } = await owner.call('GET', `/api/pages/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      page: {
        id,
        name: 'Readable',
        slug,
        html_content: HTML,
        is_published: true,
        is_unlisted: false,
        is_listed: false,
        access: { mode: 'public' },
        views: 0,
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        description: 'd',
        page_api_ai_enabled: false,
        page_api_image_gen_enabled: false,
        page_api_image_search_enabled: false,
        spa: false,
        topic: 'other',
        isolation: {},
        page_api_image_recognition_enabled: false,
        page_api_spawn_enabled: false,
        functions: [],
        agent_functions: [],
        attack_first: false,
        preview_image: null,
        protected: false,
        repair: false,
        picture: null,
      },
      conversationId: expect.any(Number),
      messages: [],
      versionCount: 1,
      folderSeal: expect.any(String),
      storageMode: 'team_app',
      role: 'owner',
    });
  });

  test("returns 403 for someone else's page, and 404 for their draft or an unknown id", async () => {
    const published = await owner.publish({ name: 'Public one' });
    const draft = await owner.publish({ name: 'Draft one', is_published: false });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/versions', undefined],
      ['GET', '/versions/1', undefined],
      ['POST', '/versions/1/restore', undefined],
      ['POST', '/messages', { role: 'user', content: 'x' }],
      ['PUT', '/agent-spec', { spec: 'x' }],
      ['DELETE', '/agent-spec', undefined],
    ] as const) {
      const ask = (id: number | string) =>
        stranger.call(method, `/api/pages/${id}${path}`, body === undefined ? {} : { body });
      const label = `${method} ${path}`;
      expect([label, (await ask(published.id)).status]).toEqual([label, 403]);
      expect([label, (await ask(draft.id)).status]).toEqual([label, 404]);
      expect([label, (await ask(2_000_000_000)).status]).toEqual([label, 404]);
      expect([label, (await ask('99999999999999999999')).status]).toEqual([label, 404]);
      expect([label, (await ask('zero')).status]).toEqual([label, 404]);
    }
    expect((await owner.call('GET', `/api/pages/${published.id}`)).body.page.name).toBe('Public one');
  });

  test('by slug finds published pages of anyone and one’s own drafts', async () => {
    const { id, slug } = await owner.publish({ name: 'Look me up' });
    const found = await stranger.call('GET', `/api/pages/lookup?slug=${slug}`);
    expect(found.body).toEqual({
      id,
      name: 'Look me up',
      slug,
      isPublished: true,
      updatedAt: expect.stringMatching(/Z$/),
    });
    const draft = await owner.publish({ name: 'Look up draft', is_published: false });
    expect((await owner.call('GET', `/api/pages/lookup?slug=${draft.slug}`)).body.isPublished).toBe(false);
    expect((await stranger.call('GET', `/api/pages/lookup?slug=${draft.slug}`)).status).toBe(404);
    expect((await owner.call('GET', '/api/pages/lookup?slug=nothing-here')).status).toBe(404);
    expect((await owner.call('GET', '/api/pages/lookup')).status).toBe(400);
    expect((await owner.call('GET', '/api/pages/lookup?slug=')).status).toBe(400);
  });

  test('lists only one’s own pages, newest first, with search and pagination', async () => {
    const lister = await quire.user('lister');
    for (const name of ['Alpha 100%', 'Beta_x', 'Gamma alpha']) await lister.publish({ name });
    const all = await lister.call('GET', '/api/pages');
    expect(all.body.total).toBe(3);
    expect([all.body.limit, all.body.offset]).toEqual([50, 0]);
    expect(all.body.pages[0].name).toBe('Gamma alpha');
    expect(all.body.pages[0].url).toStartWith(quire.baseUrl);
    expect(all.body.pages[0].html_content).toBeUndefined();
    const names = async (query: string) =>
      (await lister.call('GET', `/api/pages?${query}`)).body.pages.map((page: { name: string }) => page.name);
    expect(await names('q=ALPHA')).toEqual(['Gamma alpha', 'Alpha 100%']);
    expect(await names('q=%25')).toEqual(['Alpha 100%']);
    expect(await names('q=_')).toEqual(['Beta_x']);
    expect(await names('limit=1&offset=1')).toEqual(['Beta_x']);
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'offset=-1']) {
      expect((await lister.call('GET', `/api/pages?${bad}`)).status).toBe(400);
    }
  });
});

describe('deleting a page', () => {
  test('removes everything of it and frees the quota', async () => {
    const { id, slug } = await owner.publish({ name: 'Short life' });
    await owner.call('PUT', `/api/pages/${id}/agent-spec`, { body: { spec: 's' } });
    await owner.call('PATCH', `/api/pages/${id}`, { body: { slug: 'short-life-2' } });
    const answer = await owner.call('DELETE', `/api/pages/${id}`);
    expect([answer.status, answer.body.success, typeof answer.body.message]).toEqual([200, true, 'string']);
    expect((await owner.call('GET', `/api/pages/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/api/pages/${id}`)).status).toBe(404);
    expect((await quire.request('/p/short-life-2')).status).toBe(404);
    expect((await quire.request(`/p/${slug}`)).status).toBe(404);
    expect((await quire.call('GET', `/api/pages/${id}/agent-spec`)).status).toBe(404);
  });
});

describe('quotas', () => {
  test('refuse a page above the limit, also in a race, and deleting frees it', async () => {
    const app = await testApp({ QUIRE_QUOTA_PAGES: '5' });
    const user = await app.user();
    const publish = () => user.call('POST', '/api/pages', { body: { name: 'Q', html_content: HTML } });
    const answers = await Promise.all(Array.from({ length: 12 }, publish));
    expect(answers.filter(({ status }) => status === 201).length).toBe(5);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    const made = answers.find(({ status }) => status === 201)?.body.page.id;
    await user.call('DELETE', `/api/pages/${made}`);
    expect((await publish()).status).toBe(201);
    expect((await publish()).status).toBe(403);
    await app.stop();
  });

  test('of 0 mean no limit, for pages, functions and bytes', async () => {
    const app = await testApp({ QUIRE_QUOTA_PAGES: '0', QUIRE_QUOTA_FUNCTIONS: '0', QUIRE_QUOTA_BYTES: '0' });
    const user = await app.user();
    await user.publish();
    const code = 'export default { fetch: () => Response.json(1) }';
    const deployed = await user.call('POST', '/api/functions', {
      body: { slug: 'free', code, enableDatabase: true },
    });
    expect(deployed.status).toBe(201);
    const sql = 'CREATE TABLE t (x)';
    expect((await user.call('POST', '/api/functions/free/database', { body: { sql } })).status).toBe(200);
    await app.stop();
  });

  test('refuse a byte above the limit, counting every version', async () => {
    const app = await testApp({ QUIRE_QUOTA_BYTES: '100' });
    const user = await app.user();
    const page = await user.publish({ html_content: 'x'.repeat(60) });
    const patch = (bytes: number) =>
      user.call('PATCH', `/api/pages/${page.id}`, {
        body: { name: 'New name', html_content: 'y'.repeat(bytes) },
      });
    expect((await patch(41)).body.code).toBe('QUOTA_EXCEEDED');
    expect((await user.call('GET', `/api/pages/${page.id}`)).body.page.name).toBe('A page');
    expect((await patch(40)).status).toBe(200);
    await user.call('DELETE', `/api/pages/${page.id}`);
    expect((await user.publish({ html_content: 'x'.repeat(100) })).id).toBeGreaterThan(0);
    await app.stop();
  });
});
