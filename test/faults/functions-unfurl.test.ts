import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PRIVATE_HOSTS } from '../support/functions/addresses.ts';
import { type Listener, listenEverywhere } from '../support/functions/listener.ts';
import { type FunctionServer, startFunctionServer } from '../support/functions/server.ts';

const unfurl = (quire: FunctionServer, body: unknown) =>
  quire.call('unfurl-url', { body, timeoutMs: 60_000 });

describe('unfurl-url', () => {
  let quire: FunctionServer;
  let web: Bun.Server<undefined>;
  /** A site that never responds is requested first, so that its ten seconds pass during the other tests. */
  let slow: ReturnType<typeof unfurl>;
  let dripping: ReturnType<typeof unfurl>;
  beforeAll(async () => {
    web = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: site });
    quire = await startFunctionServer();
    slow = unfurl(quire, { url: at('/slow') });
    dripping = unfurl(quire, { url: at('/dripping') });
  });
  afterAll(async () => {
    await web.stop(true);
    await quire.stop();
  });
  const at = (path: string) => `http://127.0.0.1:${web.port}${path}`;

  test('returns the metadata of a page', async () => {
    const { status, body } = await unfurl(quire, { url: at('/deep/open-graph') });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        url: at('/canonical'),
        title: 'Fish & “chips” <tonight>',
        description: 'What it says',
        image: at('/deep/images/card.png'),
        siteName: 'The site',
        type: 'article',
        favicon: at('/deep/icons/icon.svg'),
      },
    });
  });

  test('falls back to other tags, the title and the usual icon', async () => {
    const twitter = (await unfurl(quire, { url: at('/twitter') })).body.data;
    expect([twitter.title, twitter.image]).toEqual(['From the card', at('/card.png')]);
    expect((await unfurl(quire, { url: at('/plain') })).body.data).toEqual({
      url: at('/plain'),
      title: 'Only a title',
      description: null,
      image: null,
      siteName: '127.0.0.1',
      type: null,
      favicon: at('/favicon.ico'),
    });
    expect((await unfurl(quire, { url: at('/empty') })).body.data.title).toBeNull();
  });

  test('decodes character references, and resolves URLs against the base of the page', async () => {
    const based = (await unfurl(quire, { url: at('/deep/based') })).body.data;
    expect(based).toMatchObject({
      title: 'Caf\u00e9 \u2013 \u201cÀ la carte\u201d & more \u2026',
      image: 'https://cdn.example.com/site/card.png',
      favicon: 'https://cdn.example.com/site/icon.svg?a=1&b=2',
    });
    const relative = (await unfurl(quire, { url: at('/deep/based-near') })).body.data;
    expect([relative.image, relative.favicon]).toEqual([at('/other/card.png'), at('/favicon.ico')]);
    const odd = (await unfurl(quire, { url: at('/deep/based-oddly') })).body.data;
    expect([odd.image, odd.favicon]).toEqual([null, at('/deep/icon.svg')]);
  });

  test('follows five redirects, but not six', async () => {
    const five = await unfurl(quire, { url: at('/redirect/5') });
    expect([five.status, five.body.data?.url]).toEqual([200, at('/plain')]);
    expect(await failure({ url: at('/redirect/6') })).toEqual([
      502,
      'The address redirects more than 5 times.',
    ]);
    expect(await failure({ url: at('/redirect-to-file') })).toEqual([
      502,
      'Only http and https addresses can be unfurled.',
    ]);
  });

  test('reads the first two megabytes of a page', async () => {
    const { status, body } = await unfurl(quire, { url: at('/long') });
    expect([status, body.data?.title, body.data?.description]).toEqual([200, 'Long', null]);
    const endless = await unfurl(quire, { url: at('/endless') });
    expect([endless.status, endless.body.data?.title]).toEqual([200, 'Endless']);
  });

  test.each([
    ['an image', '/picture', 'The address is not an HTML page.'],
    ['no type at all', '/untyped', 'The address is not an HTML page.'],
    ['an error', '/broken', 'The address answered with status 404.'],
  ])('refuses %s', async (_, path, error) => {
    expect(await failure({ url: at(path) })).toEqual([502, error]);
  });

  test('says that nothing responds at the address', async () => {
    const nobody: [number, string] = [502, 'The address could not be reached.'];
    expect(await failure({ url: 'http://127.0.0.1:1/' })).toEqual(nobody);
    expect(await failure({ url: 'http://no-such-host.invalid/' })).toEqual(nobody);
  }, 120_000);

  test.each([
    ['nothing', undefined],
    ['no object', 'x'],
    ['null', null],
    ['no url', {}],
    ['an empty url', { url: '' }],
    ['a number', { url: 5 }],
    ['no address', { url: 'not an address' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['a script', { url: 'javascript:alert(1)' }],
    ['data', { url: 'data:text/html,<title>x</title>' }],
  ])('requires an address, and refuses %s', async (_, body) => {
    expect((await failure(body))[0]).toBe(400);
  });

  test('gives up on a site after ten seconds, whether it is silent or never ends', async () => {
    expect([(await slow).status, (await slow).body]).toEqual([
      502,
      { success: false, error: 'The address took longer than 10 seconds.' },
    ]);
    expect([200, 502]).toContain((await dripping).status);
  }, 120_000);

  async function failure(body: unknown): Promise<[status: number, error: unknown]> {
    const answer = await unfurl(quire, body);
    expect(answer.body).toEqual({ success: false, error: expect.any(String) });
    return [answer.status, answer.body.error];
  }
});

describe('unfurl-url on the public network', () => {
  let quire: FunctionServer;
  let listener: Listener;
  beforeAll(async () => {
    listener = await listenEverywhere();
    quire = await startFunctionServer({ settings: { QUIRE_EGRESS_ALLOW: '' } });
  });
  afterAll(async () => {
    listener.close();
    await quire.stop();
  });

  test('never connects to a private address, however it is written', async () => {
    for (const host of PRIVATE_HOSTS) {
      const { status, body } = await unfurl(quire, { url: `http://${host}:${listener.port}/` });
      expect([host, status, body]).toEqual([host, 502, { success: false, error: expect.any(String) }]);
    }
    expect(listener.takeCount()).toBe(0);
  }, 120_000);
});

const PAGES: Record<string, string> = {
  '/deep/open-graph': `<!doctype html><html><head><title>Not this</title>
    <meta property="og:title" content="Fish &amp; &#8220;chips&#x201d; &lt;tonight&gt;">
    <meta property="og:description" content=" What it says "><meta property="og:url" content="/canonical">
    <meta property="og:image" content="images/card.png"><meta property="og:site_name" content="The site">
    <meta property="og:type" content="article"><link rel="shortcut ICON" href="icons/icon.svg"></head></html>`,
  '/deep/based': `<base target="_top"><base href="https://cdn.example.com/site/"><base href="/not-this/">
    <title>Caf&eacute; &ndash; &ldquo;&Agrave; la carte&rdquo; &amp; more &hellip;</title>
    <meta property="og:image" content="card.png"><link rel="icon" href="icon.svg?a=1&amp;b=2">`,
  '/deep/based-near': '<base href="../other/"><meta property="og:image" content="card.png">',
  '/deep/based-oddly': `<base href="javascript:alert(1)"><meta property="og:image" content="javascript:alert(1)">
    <link rel="icon" href="icon.svg">`,
  '/twitter': `<head><title>x</title><meta name="twitter:title" content="From the card">
    <meta name="twitter:image" content="/card.png"></head>`,
  '/plain':
    '<html><head><title> Only a title </title></head><body><svg><title>no</title></svg></body></html>',
  '/empty': '<p>nothing',
  '/long': `<head><title>Long</title></head>${'<p>filler</p>'.repeat(250_000)}<meta name="description" content="too late">`,
};

function site(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  const html = (body: string | ReadableStream) =>
    new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const page = PAGES[pathname];
  if (page !== undefined) return html(page);
  const redirects = Number(/^\/redirect\/(\d+)$/.exec(pathname)?.[1] ?? 0);
  if (redirects > 0) {
    const location = redirects === 1 ? '/plain' : `/redirect/${redirects - 1}`;
    return new Response(null, { status: 302, headers: { location } });
  }
  switch (pathname) {
    case '/redirect-to-file':
      return new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } });
    case '/picture':
      return new Response('x', { headers: { 'content-type': 'image/png' } });
    case '/untyped':
      return new Response(new Uint8Array(1));
    case '/slow':
      return new Promise(() => undefined);
    case '/endless':
      return html(endless('<title>Endless</title>', '<p>more</p>'.repeat(10_000), 0));
    case '/dripping':
      return html(endless('<title>Dripping</title>', '<p>more</p>', 200));
    default:
      return new Response('missing', { status: 404 });
  }
}

function endless(first: string, next: string, everyMs: number): ReadableStream<string> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      await Bun.sleep(everyMs);
      controller.enqueue(next);
    },
  });
}
