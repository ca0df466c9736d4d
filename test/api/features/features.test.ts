import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { type TestApp, type TestResponse, type TestUser, testApp } from '../../support/app.ts';

/** Visitor features with the built-in demo providers. */

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_IMAGE_SEARCH: 'demo', QUIRE_EGRESS_ALLOW: '127.0.0.1/32' });
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const ALL_ON = {
  page_api_ai_enabled: true,
  page_api_image_gen_enabled: true,
  page_api_image_search_enabled: true,
  page_api_image_recognition_enabled: true,
};

async function publish(fields: Record<string, unknown> = ALL_ON): Promise<number> {
  const page = await owner.publish(fields);
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { page_api_spawn_enabled: fields === ALL_ON } });
  return page.id;
}

interface Visitor {
  user: TestUser;
  cookie: string;
  ask(pageId: number, path: string, body?: unknown): Promise<TestResponse>;
  consent(pageId: number, limit?: number): Promise<void>;
  balance(): Promise<number>;
}

async function visitor(): Promise<Visitor> {
  const user = await quire.user();
  const cookie = await user.login();
  return {
    user,
    cookie,
    ask: (pageId, path, body = {}) => quire.call('POST', `/api/pages/${pageId}/${path}`, { cookie, body }),
    async consent(pageId, limit) {
      const answer = await quire.call('POST', '/api/credits/consents', { cookie, body: { pageId, limit } });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    async balance() {
      return (await quire.call('GET', '/api/credits', { cookie })).body.balance;
    },
  };
}

const png = async (width = 40, height = 30) =>
  (
    await sharp({ create: { width, height, channels: 3, background: '#d03020' } })
      .png()
      .toBuffer()
  ).toString('base64');

const FEATURES: Array<[path: string, word: string, good: () => Promise<object>]> = [
  ['page-api-ai', 'ai', async () => ({ system_prompt: 'Be brief.' })],
  ['page-api-image-gen', 'image_gen', async () => ({ prompt: 'A red ball' })],
  ['page-api-image-search', 'image_search', async () => ({ query: 'Bern' })],
  [
    'page-api-image-recognition',
    'image_recognition',
    async () => ({ prompt: 'What?', image_base64: await png() }),
  ],
  ['page-api-spawn', 'spawn', async () => ({ name: 'Spawned' })],
];

describe.each(FEATURES)('%s', (path, word, good) => {
  test('checks access in the order of the contract', async () => {
    const on = await publish();
    const off = await publish({});
    const someone = await visitor();
    const call = (id: number | string, options: object) =>
      quire.call('POST', `/api/pages/${id}/${path}`, options);

    expect((await call(99_999, { body: {} })).status).toBe(404);
    const guest = await call(off, { body: {} });
    expect([guest.status, guest.body.error]).toEqual([401, 'auth_required']);
    const byToken = await call(on, { body: await good(), token: someone.user.token });
    expect([byToken.status, byToken.body.error]).toEqual([401, 'auth_required']);
    const elsewhere = await call(on, {
      body: await good(),
      cookie: someone.cookie,
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(elsewhere.status).toBe(401);
    const disabled = await someone.ask(off, path, { nonsense: 1 });
    expect([disabled.status, disabled.body.error]).toEqual([403, `${word}_disabled`]);
    for (const body of [{}, { nonsense: 1, ...(await good()) }, []]) {
      const invalid = await someone.ask(on, path, body);
      expect([invalid.status, invalid.body.error]).toEqual([400, 'invalid_request']);
      expect(typeof invalid.body.message).toBe('string');
    }
    if (path !== 'page-api-image-search') {
      const unasked = await someone.ask(on, path, await good());
      expect(unasked.status).toBe(402);
      expect(unasked.body).toEqual({
        consent_required: true,
        consentUrl: `${quire.baseUrl}/consent?page=${on}`,
      });
    }
    await someone.consent(on);
    expect((await someone.ask(on, path, await good())).status).toBe(path === 'page-api-spawn' ? 201 : 200);
  });

  const rates = { ai: 20, image_gen: 10, image_search: 30, image_recognition: 30, spawn: 5 } as Record<
    string,
    number
  >;
  test(`allows ${rates[word]} a minute for each visitor and page`, async () => {
    const [one, two] = [await publish(), await publish()];
    const someone = await visitor();
    const rate = rates[word] ?? 0;
    for (let n = 0; n < rate; n++)
      expect([200, 201, 402]).toContain((await someone.ask(one, path, await good())).status);
    const over = await someone.ask(one, path, await good());
    expect([over.status, over.body.error]).toEqual([429, 'rate_limited']);
    expect(over.body.retryAfter).toBe(Number(over.headers.get('retry-after')));
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await someone.ask(two, path, await good())).status).not.toBe(429);
    expect((await (await visitor()).ask(one, path, await good())).status).not.toBe(429);
  });
});

describe('chat', () => {
  test('responds, returns the usage, and charges exactly that', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const before = await someone.balance();
    const { status, body } = await someone.ask(page, 'page-api-ai', {
      system_prompt: 'Be brief.',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      content: expect.stringMatching(/demo/i),
      usage: {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
      },
      credits: { deducted: body.usage.totalTokens / 2500, remaining: await someone.balance() },
    });
    expect(body.usage.totalTokens).toBe(body.usage.inputTokens + body.usage.outputTokens);
    expect(before - (await someone.balance())).toBeCloseTo(body.credits.deducted, 9);
  });

  test('streams on request', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const response = await quire.request(`/api/pages/${page}/page-api-ai`, {
      method: 'POST',
      headers: { cookie: someone.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ system_prompt: 'Be brief.', stream: true }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text())
      .split('\n\n')
      .filter(Boolean)
      .map((block) => JSON.parse(block.replace('data: ', '')));
    expect(events.length).toBeGreaterThan(3);
    expect(events.slice(0, -1).every(({ type }) => type === 'delta')).toBe(true);
    expect(events.at(-1)).toEqual({
      type: 'done',
      usage: expect.objectContaining({ totalTokens: expect.any(Number) }),
      credits: { deducted: expect.any(Number), remaining: await someone.balance() },
    });
  });

  test('that the visitor cancels is charged for what was sent', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const before = await someone.balance();
    const response = await quire.request(`/api/pages/${page}/page-api-ai`, {
      method: 'POST',
      headers: { cookie: someone.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({
        system_prompt: 'Talk.',
        messages: [{ role: 'user', content: 'x '.repeat(5000) }],
        stream: true,
      }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    while ((await held(someone)) > 0) await Bun.sleep(5);
    const paid = before - (await someone.balance());
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeLessThan(3);
  });

  const bad: Array<[name: string, body: object]> = [
    ['no instructions', { messages: [] }],
    ['empty instructions', { system_prompt: ' ' }],
    ['maxTokens 0', { system_prompt: 'x', maxTokens: 0 }],
    ['maxTokens 4097', { system_prompt: 'x', maxTokens: 4097 }],
    ['maxTokens 1.5', { system_prompt: 'x', maxTokens: 1.5 }],
    ['maxTokens "x"', { system_prompt: 'x', maxTokens: 'x' }],
    ['an unknown role', { system_prompt: 'x', messages: [{ role: 'robot', content: 'x' }] }],
    ['a system message', { system_prompt: 'x', messages: [{ role: 'system', content: 'x' }] }],
    [
      '51 messages',
      { system_prompt: 'x', messages: Array.from({ length: 51 }, () => ({ role: 'user', content: 'x' })) },
    ],
    [
      '10,000 messages',
      { system_prompt: 'x', messages: Array.from({ length: 10_000 }, () => ({ role: 'user', content: '' })) },
    ],
    ['more than 100 KB', { system_prompt: 'x', messages: [{ role: 'user', content: 'x'.repeat(102_400) }] }],
  ];
  test.each(bad)('with %s is refused', async (_, body) => {
    const page = await publish();
    const answer = await (await visitor()).ask(page, 'page-api-ai', body);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test('accepts 50 messages, 4096 tokens and 100 KB', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page, 1000);
    const messages = Array.from({ length: 50 }, () => ({ role: 'user', content: 'x' }));
    expect(
      (await someone.ask(page, 'page-api-ai', { system_prompt: 'x', messages, maxTokens: 4096 })).status,
    ).toBe(200);
    const long = [{ role: 'user', content: 'x'.repeat(102_399) }];
    const answer = await someone.ask(page, 'page-api-ai', { system_prompt: 'x', messages: long });
    // Such a long text may cost more than the visitor has, but it is not refused because of its length.
    expect([200, 402]).toContain(answer.status);
  });

  test('200 times at once on 10 credits spends no more than that', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page, 10);
    const others = await Promise.all(Array.from({ length: 9 }, () => publish()));
    for (const id of others) await someone.consent(id, 10);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        someone.ask([page, ...others][n % 10] as number, 'page-api-ai', {
          system_prompt: 'x'.repeat(4000),
          maxTokens: 4096,
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(1);
    const spent = answers
      .filter(({ status }) => status === 200)
      .reduce((sum, { body }) => sum + body.credits.deducted, 0);
    expect(await someone.balance()).toBeGreaterThanOrEqual(0);
    expect((await someone.balance()) + spent).toBeCloseTo(20, 6);
  });
});

async function held(someone: Visitor): Promise<number> {
  const { body } = await quire.call('GET', '/api/credits', { cookie: someone.cookie });
  const { body: history } = await quire.call('GET', '/api/credits/history', { cookie: someone.cookie });
  const sum = history.history.reduce((total: number, { credits }: { credits: number }) => total + credits, 0);
  return sum - body.balance;
}

describe('images', () => {
  test('are generated in five sizes, stored, and served from our own address', async () => {
    const page = await publish();
    for (const [aspectRatio, width, height] of [
      ['1:1', 1, 1],
      ['16:9', 16, 9],
      ['9:16', 9, 16],
      ['4:3', 4, 3],
      ['3:4', 3, 4],
    ]) {
      const someone = await visitor();
      await someone.consent(page);
      const { status, body } = await someone.ask(page, 'page-api-image-gen', {
        prompt: 'A ball',
        aspectRatio,
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        image_url: expect.stringMatching(/^http:\/\/localhost.*\/images\/[0-9a-f-]{36}\.png$/),
      });
      expect(await someone.balance()).toBe(16);
      const response = await quire.request(body.image_url);
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toContain('immutable');
      const shape = await sharp(await response.arrayBuffer()).metadata();
      expect((shape.width ?? 0) / (shape.height ?? 1)).toBeCloseTo(Number(width) / Number(height), 1);
    }
    for (const name of ['nothing.png', `${crypto.randomUUID()}.png`, '..%2f..%2fsecret']) {
      expect((await quire.request(`/images/${name}`)).status).toBe(404);
    }
  });

  test('cost four credits, which the visitor must have', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page, 100);
    for (let n = 0; n < 5; n++) {
      expect((await someone.ask(page, 'page-api-image-gen', { prompt: 'A ball' })).status).toBe(200);
    }
    const broke = await someone.ask(page, 'page-api-image-gen', { prompt: 'A ball' });
    expect([broke.status, broke.body]).toEqual([402, { insufficient_credits: true }]);
  });

  test('need a prompt of at most 4,000 characters and a known size', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const ask = (body: object) => someone.ask(page, 'page-api-image-gen', body);
    expect((await ask({ prompt: 'x'.repeat(4000) })).status).toBe(200);
    expect((await ask({ prompt: 'x'.repeat(4001) })).status).toBe(400);
    expect((await ask({ prompt: '' })).status).toBe(400);
    expect((await ask({ prompt: 'x', aspectRatio: '2:1' })).status).toBe(400);
  });

  test('can be searched, as many as requested, with thumbnails that load', async () => {
    const page = await publish();
    const someone = await visitor();
    const { body } = await someone.ask(page, 'page-api-image-search', { query: 'Bern', count: 3 });
    expect(body).toMatchObject({ success: true, query: 'Bern' });
    expect(body.results.length).toBe(3);
    for (const result of body.results) {
      expect(Object.keys(result).sort()).toEqual([
        'height',
        'link',
        'original',
        'source',
        'thumbnail',
        'title',
        'width',
      ]);
      expect((await quire.request(result.thumbnail)).headers.get('content-type')).toBe('image/png');
    }
    expect((await someone.ask(page, 'page-api-image-search', { query: 'Bern' })).body.results.length).toBe(
      10,
    );
    for (const count of [0, 11, 1.5, 'x']) {
      expect((await someone.ask(page, 'page-api-image-search', { query: 'Bern', count })).status).toBe(400);
    }
  });
});

describe('recognition', () => {
  test('of an uploaded image describes it for one credit', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const { status, body } = await someone.ask(page, 'page-api-image-recognition', {
      prompt: 'What is it?',
      image_base64: await png(123, 45),
      mime_type: 'text/html',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      text: expect.stringContaining('123'),
      credits: { deducted: 1, remaining: 19 },
    });
  });

  test('accepts 10 MB of base64 with line breaks, and not a byte more', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const sized = async (bytes: number) => {
      const picture = Buffer.alloc(bytes);
      picture.set(Buffer.from(await png(), 'base64'));
      const image_base64 = picture.toString('base64').replace(/.{76}/g, '$&\r\n');
      return someone.ask(page, 'page-api-image-recognition', { prompt: 'What is it?', image_base64 });
    };
    expect((await sized(10 * 1024 * 1024)).status).toBe(200);
    const { status, body } = await sized(10 * 1024 * 1024 + 1);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  test('of an image at a URL fetches it through the egress', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const bytes = Buffer.from(await png(64, 64), 'base64');
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.endsWith('.png')
          ? new Response(bytes)
          : url.endsWith('/page')
            ? new Response('<p>x')
            : Response.redirect('http://10.0.0.1/'),
    });
    const ask = (image_url: string) =>
      someone.ask(page, 'page-api-image-recognition', { prompt: 'What?', image_url });
    expect((await ask(`http://127.0.0.1:${server.port}/a.png`)).status).toBe(200);
    const refused = [
      `http://127.0.0.1:${server.port}/page`,
      `http://127.0.0.1:${server.port}/away`,
      'http://10.0.0.1/a.png',
      'http://169.254.169.254/latest',
      'http://[::1]/a.png',
      'http://0x7f.1:1/a.png',
      'http://2130706433:1/a.png',
      'http://[::ffff:10.0.0.1]/',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      'nonsense',
    ];
    for (const address of refused) {
      const answer = await ask(address);
      expect([address, answer.status, answer.body.error]).toEqual([address, 400, 'invalid_request']);
    }
    await server.stop(true);
    expect(await someone.balance()).toBe(19);
  });

  const bad: Array<[name: string, body: () => Promise<object>]> = [
    ['neither', async () => ({})],
    ['both', async () => ({ image_url: 'https://example.com/a.png', image_base64: await png() })],
    ['no base64', async () => ({ image_base64: '%%%' })],
    ['an empty string', async () => ({ image_base64: '' })],
    [
      'HTML',
      async () => ({
        image_base64: Buffer.from('<script>alert(1)</script>').toString('base64'),
        mime_type: 'image/png',
      }),
    ],
    [
      'SVG',
      async () => ({
        image_base64: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'),
      }),
    ],
    ['a bomb', async () => ({ image_base64: bomb().toString('base64') })],
    ['half a picture', async () => ({ image_base64: (await png(400, 400)).slice(0, 200) })],
  ];
  test.each(bad)('of %s is refused, and costs nothing', async (_, body) => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const answer = await someone.ask(page, 'page-api-image-recognition', {
      prompt: 'What?',
      ...(await body()),
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(await someone.balance()).toBe(20);
  });

  test('accepts a prompt of at most 4,000 characters', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const ask = async (length: number) =>
      someone.ask(page, 'page-api-image-recognition', {
        prompt: 'x'.repeat(length),
        image_base64: await png(),
      });
    expect((await ask(4000)).status).toBe(200);
    expect((await ask(4001)).status).toBe(400);
  });

  /** The header of an image of 60,000 by 60,000 pixels. */
  function bomb(): Buffer {
    const header = Buffer.from(
      '89504e470d0a1a0a0000000d49484452' +
        '0000ea60' +
        '0000ea60' +
        '0802000000' +
        '00000000' +
        '0000000049454e44ae426082',
      'hex',
    );
    return header;
  }
});

describe('spawn', () => {
  test('publishes a copy or new HTML in the name of the visitor', async () => {
    const page = await publish();
    const someone = await visitor();
    await someone.consent(page);
    const copy = await someone.ask(page, 'page-api-spawn', { name: 'My copy' });
    expect(copy.status).toBe(201);
    expect(copy.body).toEqual({
      success: true,
      page: { id: expect.any(Number), name: 'My copy', slug: 'my-copy', url: `${quire.baseUrl}/p/my-copy` },
    });
    const read = await someone.user.call('GET', `/api/pages/${copy.body.page.id}`);
    expect([read.status, read.body.page.html_content]).toEqual([200, expect.stringContaining('Hello')]);
    const sent = await someone.ask(page, 'page-api-spawn', {
      name: 'New',
      html_content: '<p>New',
      storage_mode: 'solo_app',
    });
    const own = await someone.user.call('GET', `/api/pages/${sent.body.page.id}`);
    expect([own.body.page.html_content, own.body.storageMode]).toEqual(['<p>New', 'solo_app']);
    expect(await someone.balance()).toBe(20);
  });
});

describe('a preview image', () => {
  test('is a card of 1200 by 630, free, and in the meta tags of the page', async () => {
    const page = await owner.publish({ name: 'Grüße aus Bern', description: 'A city' });
    const path = `/api/pages/${page.id}/generate-preview-image`;
    const answer = await owner.call('POST', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      imageUrl: expect.stringContaining('/images/'),
      message: expect.any(String),
    });
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.preview_image).toBe(answer.body.imageUrl);
    const picture = await quire.request(answer.body.imageUrl);
    expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({
      width: 1200,
      height: 630,
      format: 'png',
    });
    expect(await (await quire.request(`/p/${page.slug}`)).text()).toContain(
      `og:image" content="${answer.body.imageUrl}"`,
    );
    const withHtml = await owner.call('POST', path, {
      body: { html: '<title>x</title><style>body{background:#123}</style>', customInstructions: 'Blue' },
    });
    expect(withHtml.body.imageUrl).not.toBe(answer.body.imageUrl);
    // Also with the login cookie, but not for anyone else.
    const cookie = await owner.login();
    expect((await quire.call('POST', path, { cookie })).status).toBe(200);
    const stranger = await quire.user();
    expect((await stranger.call('POST', path)).status).toBe(403);
    expect((await quire.call('POST', path)).status).toBe(401);
    expect((await owner.call('POST', '/api/pages/99999/generate-preview-image')).status).toBe(404);
    await owner.call('DELETE', `/api/pages/${page.id}`);
    expect((await quire.request(answer.body.imageUrl)).status).toBe(404);
  });

  test('is served at the current address of the service, whatever the address was when it was made', async () => {
    const page = await owner.publish({ name: 'Moved' });
    const made = await owner.call('POST', `/api/pages/${page.id}/generate-preview-image`);
    const { imageUrl } = made.body;
    const path = imageUrl.slice(quire.baseUrl.length);
    const { db, stop } = await startStorage(quire);
    const rows = db.selectFrom('pages').select('preview_image').where('id', '=', page.id);
    expect(await rows.execute()).toEqual([{ preview_image: path }]);

    const stored = { preview_image: `http://elsewhere.example:3555${path}` };
    await db.updateTable('pages').set(stored).where('id', '=', page.id).execute();
    await stop();
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.preview_image).toBe(imageUrl);
    const list = await owner.call('GET', '/api/pages?q=moved');
    expect(list.body.pages[0].preview_image).toBe(imageUrl);
    const html = await (await quire.request(`/p/${page.slug}`)).text();
    expect(html).toContain(`og:image" content="${imageUrl}"`);
  });
});

test('preview images can be made 20 times a minute, not 21', async () => {
  const user = await quire.user();
  const page = await user.publish();
  const make = () => user.call('POST', `/api/pages/${page.id}/generate-preview-image`);
  for (let n = 0; n < 20; n++) expect((await make()).status).toBe(200);
  const over = await make();
  expect([over.status, over.body.code]).toEqual([429, 'RATE_LIMITED']);
});
