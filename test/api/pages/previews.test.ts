import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ServiceKey, sign } from '../../../server/lib/secrets.ts';
import type { PublishedPage } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';

const ORIGIN = {
  QUIRE_BASE_URL: 'http://quire.test',
  QUIRE_PAGES_HOST: 'pages.test',
  QUIRE_ISOLATION: 'origin',
};

describe.each([
  ['sandbox', { QUIRE_ISOLATION: 'sandbox' }],
  ['origin', ORIGIN],
] as const)('a preview address in %s isolation', (isolation, settings) => {
  let app: FilesApp;
  beforeAll(async () => {
    app = await filesApp(settings);
  });
  afterAll(() => app.quire.stop());

  const HTML = '<head></head><link rel="stylesheet" href="a.css"><p>draft of {{PAGE_ID}}</p>';
  const publish = (fields: object = {}) => app.owner.publish({ html_content: '<p>live</p>', ...fields });
  const makeDraft = async (page: PublishedPage, html_content = HTML) =>
    (await app.owner.call('POST', `/api/pages/${page.id}/drafts`, { body: { html_content } })).body.draft as {
      id: number;
      preview_url: string;
      preview_expires_at: string;
    };
  const putFile = (page: PublishedPage, draft: number, path: string, body: string) =>
    app.call('PUT', `/api/pages/${page.id}/drafts/${draft}/files/${path}`, { body });
  const get = (url: string, headers: Record<string, string> = {}) => app.quire.request(url, { headers });
  const fetchStatus = async (url: string) => (await get(url)).status;

  test('shows the draft on the host of its page with the SDK, to nobody in particular', async () => {
    const page = await publish();
    const draft = await makeDraft(page);
    const host = isolation === 'origin' ? `http://p${page.id}.pages.test` : page.url;
    expect(draft.preview_url).toStartWith(`${host}/~preview/`);
    const response = await get(draft.preview_url, {
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain(`<p>draft of ${page.id}</p>`);
    expect(text).toContain(`data-page-id="${page.id}"`);
    expect(text).not.toContain('data-page-session');
    const { headers } = response;
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy');
    if (isolation === 'origin') expect(policy).toBeNull();
    else expect(policy).toStartWith('sandbox ');
    expect(await (await get(page.url)).text()).not.toContain('draft of');
  });

  test('is sandboxed in a frame of another site', async () => {
    const { preview_url } = await makeDraft(await publish());
    const framed = await get(preview_url, {
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
      'sec-fetch-site': 'cross-site',
    });
    expect(framed.headers.get('content-security-policy')).toStartWith('sandbox ');
  });

  test('has the files of the draft, relative to it, and no others', async () => {
    const page = await publish();
    await app.replace(page, { 'a.css': 'live{}', 'only-live.txt': 'x' });
    const { id, preview_url } = await makeDraft(page);
    await putFile(page, id, 'a.css', 'draft{}');
    await putFile(page, id, 'sub/index.html', '<p>sub of {{PAGE_ID}}');
    await app.call('DELETE', `/api/pages/${page.id}/drafts/${id}/files/only-live.txt`);
    const style = await get(`${preview_url}a.css`);
    expect([await style.text(), style.headers.get('content-type')]).toEqual([
      'draft{}',
      'text/css; charset=utf-8',
    ]);
    expect(style.headers.get('cache-control')).toBe('private, no-store');
    // In a sandbox, the script of the page has no origin.
    expect(style.headers.get('access-control-allow-origin')).toBe('*');
    const folder = await get(`${preview_url}sub`);
    expect([folder.status, folder.headers.get('location')]).toEqual([
      301,
      `${new URL(preview_url).pathname}sub/`,
    ]);
    expect(await (await get(`${preview_url}sub/`)).text()).toContain(`sub of ${page.id}`);
    expect(await fetchStatus(`${preview_url}only-live.txt`)).toBe(404);
    expect(await fetchStatus(`${preview_url}../a.css`)).not.toBe(500);
    const bare = await get(preview_url.slice(0, -1));
    expect([bare.status, bare.headers.get('location')]).toEqual([302, new URL(preview_url).pathname]);
    expect(await (await get(`${page.url}/a.css`)).text()).toBe('live{}');
  });

  test('is sent as the page will be: parts as they are, redirects within the preview, isolation', async () => {
    const page = await publish({ isolation: { coop: 'same-origin', coep: 'require-corp' } });
    const { id, preview_url } = await makeDraft(page);
    await putFile(page, id, 'part.html', '<p>part');
    await putFile(page, id, '_redirects', '/old /part.html 302');
    const part = await get(`${preview_url}part.html`, { 'sec-fetch-dest': 'empty' });
    expect(await part.text()).toBe('<p>part');
    expect(await (await get(`${preview_url}part.html`)).text()).toContain('data-page-id');
    const led = await get(`${preview_url}old?a=1`);
    expect([led.status, led.headers.get('location'), led.headers.get('cache-control')]).toEqual([
      302,
      `${new URL(preview_url).pathname}part.html?a=1`,
      'private, no-store',
    ]);
    for (const path of ['', 'part.html']) {
      const { headers } = await get(preview_url + path);
      expect([
        headers.get('cross-origin-opener-policy'),
        headers.get('cross-origin-embedder-policy'),
      ]).toEqual(isolation === 'origin' ? ['same-origin', 'require-corp'] : [null, null]);
    }
  });

  test('follows the draft when it is saved, and counts no views', async () => {
    const page = await publish();
    const { id, preview_url } = await makeDraft(page);
    await get(preview_url);
    await app.owner.call('PATCH', `/api/pages/${page.id}/drafts/${id}`, {
      body: { html_content: '<p>second' },
    });
    expect(await (await get(preview_url)).text()).toContain('second');
    expect((await app.owner.call('GET', `/api/pages/${page.id}`)).body.page.views).toBe(0);
  });

  test('shows an earlier version with its files', async () => {
    const page = await publish();
    await app.replace(page, { 'a.css': 'two{}' });
    await app.replace(page, { 'index.html': '<p>third', 'a.css': 'three{}' });
    const { body } = await app.owner.call('GET', `/api/pages/${page.id}/versions/2`);
    expect(await (await get(body.preview_url)).text()).toContain('<p>live</p>');
    expect(await (await get(`${body.preview_url}a.css`)).text()).toBe('two{}');
  });

  test('works for pages that are closed or unpublished, and follows a new slug', async () => {
    const page = await publish({ is_published: false, access: { mode: 'private' } });
    const { preview_url } = await makeDraft(page);
    expect(await fetchStatus(preview_url)).toBe(200);
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { slug: `moved-${isolation}` } });
    const moved = await get(preview_url);
    if (isolation === 'origin') expect(moved.status).toBe(200);
    else expect(await fetchStatus(new URL(moved.headers.get('location') ?? '', preview_url).href)).toBe(200);
  });

  test('ends when the draft is deleted or published, or the access to the page changes', async () => {
    const page = await publish();
    const [one, two, three] = [await makeDraft(page), await makeDraft(page), await makeDraft(page)];
    expect(await fetchStatus(one.preview_url)).toBe(200);
    await app.owner.call('DELETE', `/api/pages/${page.id}/drafts/${one.id}`);
    await app.owner.call('POST', `/api/pages/${page.id}/drafts/${two.id}/publish`);
    expect([await fetchStatus(one.preview_url), await fetchStatus(two.preview_url)]).toEqual([404, 404]);
    expect(await fetchStatus(three.preview_url)).toBe(200);
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { access: { mode: 'private' } } });
    expect(await fetchStatus(three.preview_url)).toBe(404);
    const again = (await app.owner.call('GET', `/api/pages/${page.id}/drafts/${three.id}`)).body;
    expect(await fetchStatus(again.preview_url)).toBe(200);
    await app.owner.call('DELETE', `/api/pages/${page.id}`);
    expect(await fetchStatus(again.preview_url)).toBe(404);
  });

  test('ends when the page is unpublished, and a new one can be made then', async () => {
    const page = await publish();
    const patch = (body: object) => app.owner.call('PATCH', `/api/pages/${page.id}`, { body });
    const draft = await makeDraft(page);
    const version = (await app.owner.call('GET', `/api/pages/${page.id}/versions/1`)).body;
    const links = [draft.preview_url, version.preview_url];
    const statuses = () => Promise.all(links.map(fetchStatus));
    expect(await statuses()).toEqual([200, 200]);
    // With access in the same change, which alone would keep the links.
    await patch({ is_published: false, access: { mode: 'public' } });
    expect(await statuses()).toEqual([404, 404]);
    const again = (await app.owner.call('GET', `/api/pages/${page.id}/drafts/${draft.id}`)).body;
    expect(await fetchStatus(again.preview_url)).toBe(200);
    await patch({ is_published: true });
    expect([...(await statuses()), await fetchStatus(again.preview_url)]).toEqual([404, 404, 200]);
    await patch({ is_published: false });
    expect(await fetchStatus(again.preview_url)).toBe(404);
  });

  test('ends with the access to the page, whenever that was set', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toISOString();
    const page = await publish();
    const before = await makeDraft(page);
    const access = { mode: 'public', expires_at: inAMinute };
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
    const after = (await app.owner.call('GET', `/api/pages/${page.id}/drafts/${before.id}`)).body;
    expect(Date.parse(after.preview_expires_at)).toBe(Date.parse(access.expires_at));
    const links = [before.preview_url, after.preview_url];
    expect(await Promise.all(links.map(fetchStatus))).toEqual([200, 200]);
    app.quire.advance(60_000);
    links.push((await app.owner.call('GET', `/api/pages/${page.id}/drafts/${before.id}`)).body.preview_url);
    expect(await Promise.all(links.map(fetchStatus))).toEqual([404, 404, 404]);
    app.quire.advance(-60_000);
  });

  test('is closed while the page is taken down or its owner is suspended', async () => {
    const page = await publish();
    const { preview_url } = await makeDraft(page);
    await runSql(
      app.quire,
      `update pages set taken_down_at = 1, taken_down_reason = 'x' where id = ${page.id}`,
    );
    expect(await fetchStatus(preview_url)).toBe(451);
    await runSql(
      app.quire,
      `update pages set taken_down_at = null, owner_blocked_at = 1 where id = ${page.id}`,
    );
    expect(await fetchStatus(preview_url)).toBe(403);
    await runSql(app.quire, `update pages set owner_blocked_at = null where id = ${page.id}`);
    expect(await fetchStatus(preview_url)).toBe(200);
  });

  test('ends when whoever made it can no longer work on the page', async () => {
    const page = await publish({ storage_mode: 'team_app' });
    const colleague = await app.quire.user();
    const team = `/api/pages/${page.id}/team`;
    const { body } = await app.owner.call('POST', `${team}/invite`, { body: { role: 'admin', maxUses: 1 } });
    await colleague.call('POST', `/api/join/${body.inviteCode}`);
    const { id, preview_url: own } = await makeDraft(page);
    const theirs = (await colleague.call('GET', `/api/pages/${page.id}/drafts/${id}`)).body.preview_url;
    const version = (await colleague.call('GET', `/api/pages/${page.id}/versions/1`)).body.preview_url;
    const statuses = async () => [
      await fetchStatus(own),
      await fetchStatus(theirs),
      await fetchStatus(version),
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    const put = (role: string) => app.owner.call('PATCH', `${team}/${colleague.id}`, { body: { role } });
    expect((await put('member')).status).toBe(200);
    expect(await statuses()).toEqual([200, 404, 404]);
    await put('admin');
    expect(await statuses()).toEqual([200, 200, 200]);
    await runSql(app.quire, `update users set suspended_at = 1 where id = ${colleague.id}`);
    expect(await statuses()).toEqual([200, 404, 404]);
    await runSql(app.quire, `update users set suspended_at = null where id = ${colleague.id}`);
    expect((await app.owner.call('DELETE', `${team}/${colleague.id}`)).status).toBe(204);
    expect(await statuses()).toEqual([200, 404, 404]);
  });

  test('opens nothing if it is forged, for another page, or for another purpose', async () => {
    const [page, other] = [await publish(), await publish()];
    const [mine, theirs] = [await makeDraft(page), await makeDraft(other)];
    const [, token = ''] = /~preview\/([^/]+)\//.exec(mine.preview_url) ?? [];
    const [id = '', body = '', mac = ''] = token.split('.');
    const withToken = (forged: string) => mine.preview_url.replace(token, forged);
    const content = JSON.parse(Buffer.from(body, 'base64url').toString());
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const forged of [
      '',
      'x',
      'x.y',
      '.',
      `${id}.${body}.`,
      `${id}.${body}.${'A'.repeat(mac.length)}`,
      `${id}.${encode({ ...content, draft: theirs.id })}.${mac}`,
      `${id}.${encode({ ...content, exp: content.exp + 1 })}.${mac}`,
      `${encode({ ...content, exp: content.exp + 1 })}.${mac}`,
      sign(new ServiceKey(Buffer.alloc(32)), 'page-preview', content, Date.now() + 10_000),
      'a'.repeat(8_000),
      '%00',
    ])
      expect(await fetchStatus(withToken(forged))).toBe(404);
    // A real token of one page at the address of another.
    const root = mine.preview_url.slice(0, mine.preview_url.indexOf('~preview'));
    const otherRoot = theirs.preview_url.slice(0, theirs.preview_url.indexOf('~preview'));
    const crossed = await get(theirs.preview_url.replace(otherRoot, root));
    expect([302, 404]).toContain(crossed.status);
    expect(await crossed.text()).not.toContain('draft of');
  });

  test('ends after seven days', async () => {
    const { preview_url, preview_expires_at } = await makeDraft(await publish());
    const left = Date.parse(preview_expires_at) - Date.now();
    expect(left).toBeGreaterThan(7 * 86_400_000 - 10_000);
    app.quire.advance(left - 60_000);
    expect(await fetchStatus(preview_url)).toBe(200);
    app.quire.advance(61_000);
    expect(await fetchStatus(preview_url)).toBe(404);
    app.quire.advance(-left - 1_000);
  });

  test('is not among what visitors can ask for: a preview has no text for agents', async () => {
    const page = await publish();
    const { preview_url } = await makeDraft(page);
    const markdown = await get(preview_url, { accept: 'text/markdown' });
    expect(markdown.headers.get('content-type')).toStartWith('text/html');
    const [row] = await readSql<{ views: number }>(
      app.quire,
      `select views from pages where id = ${page.id}`,
    );
    expect(Number(row?.views)).toBe(0);
  });
});
