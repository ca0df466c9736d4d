import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { type Listener, listenEverywhere } from '../../support/functions/listener.ts';
import { untilDecided } from '../../support/http/call.ts';
import { sizeOfPng } from '../../support/pages/png.ts';

/** Checks of pages: the request and the answer. What hostile pages can do is in test/faults. */

/** Every line is counted: the SDK and the tags that we add must not shift them. */
const BROKEN = `<!doctype html>
<html lang="en">
<head><title>Broken</title></head>
<body>
<img src="/api/pages/999999999/agent-spec">
<script>
console.log('first', { count: 2 }, [1, 'two']);
console.warn('careful');
setTimeout(() => {
  missing.call();
});
Promise.reject(new Error('refused'));
</script>
</body>`;

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

const check = (page: { id: number | string }, body?: unknown, as = owner) =>
  untilDecided(() => as.call('POST', `/api/pages/${page.id}/check`, body === undefined ? {} : { body }));

test('a check of a draft opens the draft, with its lines, and not the page', async () => {
  const page = await owner.publish({ html_content: '<title>Live</title>' });
  const saved = await owner.call('POST', `/api/pages/${page.id}/drafts`, { body: { html_content: BROKEN } });
  const { id } = saved.body.draft;
  const { status, body } = await check(page, { draft: id });
  expect(status).toBe(200);
  expect(body.title).toBe('Broken');
  expect(body.screenshot.url).toContain('/screenshots/');
  expect(body.console).toContainEqual({ level: 'warning', text: 'careful', line: 8 });
  expect((await check(page, { draft: id + 1 })).status).toBe(404);
  expect((await check(page, { draft: id, as: 'owner' })).status).toBe(400);
  expect((await check(page, { draft: id }, stranger)).status).toBe(403);
});

describe('a check', () => {
  test('reports messages, errors and failed requests with the lines of the source, and a picture', async () => {
    const page = await owner.publish({ html_content: BROKEN });
    const { status, body } = await check(page);
    expect(status).toBe(200);
    expect(body.title).toBe('Broken');
    expect(body.console).toEqual([
      { level: 'log', text: 'first {count: 2} [1, "two"]', line: 7 },
      { level: 'warning', text: 'careful', line: 8 },
    ]);
    // The order of timers and rejections depends on how busy the browser is.
    expect(body.errors.sort((a: { line: number }, b: { line: number }) => a.line - b.line)).toEqual([
      expect.objectContaining({
        message: 'ReferenceError: missing is not defined',
        line: 10,
        column: 3,
        stack: expect.stringContaining('missing is not defined\n'),
      }),
      expect.objectContaining({ message: 'Unhandled rejection: Error: refused', line: 12 }),
    ]);
    expect(body.failedRequests).toEqual([
      {
        url: expect.stringMatching(/\/api\/pages\/999999999\/agent-spec$/),
        status: 404,
        text: expect.stringMatching(/^\{.*NOT_FOUND/),
      },
    ]);
    const findings = body.accessibility as Array<Record<string, unknown>>;
    expect(findings.find(({ rule }) => rule === 'image-alt')).toEqual({
      rule: 'image-alt',
      impact: 'critical',
      help: expect.any(String),
      helpUrl: expect.stringMatching(/^https:/),
      count: 1,
      elements: ['img'],
    });
    expect(body.notes).toEqual([]);
    expect(body.durationMs).toBeGreaterThan(0);
    const { url, ...size } = body.screenshot;
    expect(size).toEqual({ width: 1280, height: 800, expiresAt: expect.stringMatching(/Z$/) });
    const picture = await quire.request(new URL(url).pathname);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(sizeOfPng(await picture.bytes())).toEqual([1280, 800]);
  }, 60_000);

  test('as the owner opens a draft with the data of the owner, without a login', async () => {
    const html_content = `<!doctype html><title>App</title><script type="module">
      console.log((await PageUser.current())?.username);
      console.log((await SoloData.create('notes', { text: 'mine' })).data.text);
      console.log((await fetch('/api/auth/me')).status, document.cookie === '');
    </script>`;
    const page = await owner.publish({ html_content, storage_mode: 'solo_app', is_published: false });
    const { body } = await check(page, { as: 'owner', viewport: 'phone' });
    expect(body.errors).toEqual([]);
    expect(body.console.map(({ text }: { text: string }) => text)).toEqual(['owner', 'mine', '404 true']);
    expect(body.screenshot).toMatchObject({ width: 780, height: 1688 });
    // Nobody else sees a draft.
    expect((await check(page)).body.console).toEqual([]);
  }, 60_000);

  test('does not use features, whatever the owner has allowed', async () => {
    const html_content = `<!doctype html><title>Spawn</title><script type="module">
      const { status } = await fetch('/api/pages/{{PAGE_ID}}/page-api-spawn', { method: 'POST',
        headers: { 'content-type': 'application/json' }, body: '{"name":"Made by a check"}' });
      console.log(status);
    </script>`;
    const page = await owner.publish({ html_content });
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { page_api_spawn_enabled: true } });
    expect((await check(page, { as: 'owner' })).body.console).toMatchObject([{ text: '403' }]);
    expect((await owner.call('GET', '/api/pages?q=Made+by+a+check')).body.total).toBe(0);
  }, 60_000);

  test.each([
    ['an unknown page', { id: 999_999 }, {}, 404],
    ['another visitor', undefined, { as: 'admin' }, 400],
    ['another window', undefined, { viewport: 'watch' }, 400],
    ['an unknown field', undefined, { url: 'http://example.com' }, 400],
  ])('is refused for %s', async (_, wrong, body, status) => {
    const page = wrong ?? (await owner.publish());
    expect((await check(page, body)).status).toBe(status);
  });
});

describe('a page in a check', () => {
  let open: TestApp;
  let listener: Listener;
  afterAll(async () => {
    listener.close();
    await open.stop();
  });

  test('reaches what the egress allows, with requests and sockets', async () => {
    listener = await listenEverywhere();
    open = await testApp({ QUIRE_EGRESS_ALLOW: '127.0.0.1/32' });
    const user = await open.user('user');
    const page = await user.publish({
      html_content: `<!doctype html><title>t</title><script>
        fetch('http://127.0.0.1:${listener.port}/a', { mode: 'no-cors' }).then(() => console.log('fetched'));
        fetch('https://127.0.0.1:${listener.port}/b', { mode: 'no-cors' }).catch(() => console.log('no TLS there'));
        new WebSocket('ws://127.0.0.1:${listener.port}/c').onerror = () => console.log('no WebSocket there');
      </script>`,
    });
    const { body } = await user.call('POST', `/api/pages/${page.id}/check`);
    const texts = body.console.map(({ text }: { text: string }) => text);
    for (const text of ['fetched', 'no TLS there', 'no WebSocket there']) expect(texts).toContain(text);
    expect(listener.takeCount()).toBeGreaterThanOrEqual(3);
  }, 60_000);
});

test('a browser that does not start is explained to owners, who cannot read the log of the server', async () => {
  const broken = await testApp({ QUIRE_CHROMIUM: '/bin/true' });
  const user = await broken.user('user');
  const page = await user.publish();
  const { status, headers, body } = await user.call('POST', `/api/pages/${page.id}/check`);
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(body.error).toBe(
    'The browser did not start, or it did not answer in time. Try again in a moment. If it happens again, make the page lighter, or ask the administrator of this server.',
  );
  expect(broken.logs.filter((line) => line.includes('a browser could not check a page'))).toHaveLength(1);
  await broken.stop();
});

describe('a server without Chromium', () => {
  let bare: TestApp;
  afterAll(() => bare.stop());

  test('says how to install it, and limits how often it is asked', async () => {
    bare = await testApp({ QUIRE_CHROMIUM: '/nowhere/chromium' });
    const user = await bare.user('user');
    const page = await user.publish();
    const ask = () => user.call('POST', `/api/pages/${page.id}/check`);
    const { status, body } = await ask();
    expect([status, body.code]).toEqual([501, 'NOT_INSTALLED']);
    expect(body.error).toContain('apt-get install chromium-headless-shell');
    for (let count = 2; count <= 20; count++) expect((await ask()).status).toBe(501);
    expect(bare.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect((await ask()).status).toBe(429);
  });
});
