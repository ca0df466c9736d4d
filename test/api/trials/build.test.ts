import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_WISH_LETTERS } from '../../../contract/templates/wishes.ts';
import { type BuilderApp, startBuilderApp } from '../../support/agents/builder.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** From a box on a screen to the builder, also through a login or a new account. */

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const WISH = 'A page for my bakery & café, with “bread”';

let service: BuilderApp;
let quire: TestApp;
beforeAll(async () => {
  // Each run that writes a draft would start a browser.
  service = await startBuilderApp({ QUIRE_CHROMIUM: 'off', QUIRE_CREDITS_NEW_USER: '50' });
  quire = service.quire;
});
afterAll(() => service.stop());

/** The settings of another service with the same model. */
const model = () => ({
  QUIRE_CHROMIUM: 'off',
  QUIRE_AI_PROVIDER: 'openai-compatible',
  QUIRE_AI_URL: service.vendor.url,
  QUIRE_AI_MODEL: 'model-a',
});

const post = (fields: Record<string, string>, { cookie = '', origin = quire.baseUrl, app = quire } = {}) =>
  app.request('/try/build', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin,
      'sec-fetch-site': origin === app.baseUrl ? 'same-origin' : 'cross-site',
      ...(cookie && { cookie }),
    },
    body: new URLSearchParams(fields).toString(),
  });
const open = (path: string, cookie = '', app = quire) =>
  app.request(path, { headers: { ...NAVIGATE, ...(cookie && { cookie }) } });
const firstCookie = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? '';
const goTo = (response: Response) => response.headers.get('location') ?? '';
const readNext = (response: Response) =>
  new URL(goTo(response), quire.baseUrl).searchParams.get('next') ?? '';

/** The pages of a person, and what was asked of the builder on the only one. */
async function built(person: TestUser): Promise<string[]> {
  const { body } = await person.call('GET', '/api/pages');
  const prompts = [];
  for (const { id } of body.pages) {
    const { body: thread } = await person.call('GET', `/api/pages/${id}/messages`);
    prompts.push(thread.messages.find(({ role }: { role: string }) => role === 'user')?.content);
  }
  return prompts;
}

const balance = async (person: TestUser) => (await person.call('GET', '/api/builder')).body.credits;

describe('the box on the start page', () => {
  test('leads to the builder, and to a template without an account as the other way', async () => {
    const start = await (await open('/')).text();
    expect(start).toContain('action="/try/build" method="post"');
    expect(start).toContain('Or try a template at once, without an account');
    expect(start).toContain('name="wish" value="A quiz for my class"');
    const other = await (await open(`/try?${new URLSearchParams({ wish: WISH })}`)).text();
    expect(other).toContain('Here it is. Try it.');
    expect(other).toContain('action="/try/build"');
  });

  test('starts the builder after a new account is made, with every word', async () => {
    const { seen } = service.vendor;
    seen.length = 0;
    const asked = await post({ wish: WISH });
    expect([asked.status, new URL(goTo(asked), quire.baseUrl).pathname]).toEqual([303, '/register']);
    const door = await (await open(goTo(asked), firstCookie(asked))).text();
    expect(door).toContain('Then your page is built, and you watch it grow.');
    expect(door).toContain(`href="/try?${new URLSearchParams({ wish: WISH })}"`.replaceAll('&', '&amp;'));
    const registered = await quire.request('/register', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: quire.baseUrl,
        cookie: firstCookie(asked),
      },
      body: new URLSearchParams({
        username: 'wish-newcomer',
        email: 'wish-newcomer@example.com',
        password: PASSWORD,
        next: readNext(asked),
      }).toString(),
    });
    expect([registered.status, goTo(registered)]).toEqual([303, readNext(asked)]);
    // Nobody has an account until here, so nothing was asked of the model.
    expect(seen).toEqual([]);
    const cookie = `${firstCookie(registered)}; ${firstCookie(asked)}`;
    const done = await open(goTo(registered), cookie);
    expect([done.status, goTo(done)]).toEqual([303, expect.stringMatching(/^\/pages\/build\/\d+$/)]);
    expect(done.headers.get('set-cookie')).toContain('Max-Age=0');
    await waitUntil(async () => seen.length > 0);
    expect(JSON.stringify(seen[0]?.body.messages)).toContain('my bakery & café');
    // The response was lost, and the browser asks again.
    expect(goTo(await open(goTo(registered), cookie))).toBe(goTo(done));
  });

  test('starts the builder at once for a person who is logged in', async () => {
    const person = await quire.user('wish-known');
    const done = await post({ wish: WISH }, { cookie: await person.login() });
    expect(goTo(done)).toMatch(/^\/pages\/build\/\d+$/);
    expect(await built(person)).toEqual([WISH]);
  });

  test('starts one run for a button that is pressed twice', async () => {
    const person = await quire.user('wish-twice');
    const cookie = await person.login();
    const screen = await (await open('/try?wish=A+quiz', cookie)).text();
    const form = screen.slice(screen.indexOf('action="/try/build"'));
    const key = /name="key" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const first = await post({ wish: WISH, key }, { cookie });
    expect(goTo(await post({ wish: WISH, key }, { cookie }))).toBe(goTo(first));
    expect(await built(person)).toEqual([WISH]);
  });

  test('cuts a long text off, and makes something of an empty one', async () => {
    const asked = await post({ wish: 'ä'.repeat(MAX_WISH_LETTERS + 1) });
    expect(readNext(asked)).toBe(`/try/build?${new URLSearchParams({ wish: 'ä'.repeat(MAX_WISH_LETTERS) })}`);
    for (const wish of ['', ' \n'])
      expect([(await post({ wish })).status, goTo(await post({ wish }))]).toEqual([303, '/try']);
  });
});

describe('the credits of a person', () => {
  test('are not spent by a link, or by a form of another site', async () => {
    const person = await quire.user('wish-lured');
    const cookie = await person.login();
    const address = `/try/build?${new URLSearchParams({ wish: '<b>Spend</b> it all' })}`;
    const before = await balance(person);
    const asked = await (await open(address, cookie)).text();
    expect(asked).toContain('Build this page?');
    expect(asked).toContain('&lt;b&gt;Spend&lt;/b&gt; it all');
    // A browser that was led to the address before its person logged in.
    const led = await open(address);
    expect([goTo(led), led.headers.get('set-cookie')]).toEqual([
      `/register?next=${encodeURIComponent(address)}`,
      null,
    ]);
    expect((await post({ wish: 'Spend it' }, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    // Asked for something else in this browser.
    const other = firstCookie(await post({ wish: 'Something else' }));
    expect(await (await open(address, `${cookie}; ${other}`)).text()).toContain('Build this page?');
    expect([await built(person), await balance(person)]).toEqual([[], before]);
  });

  test('are asked for nothing that they do not have: the nearest template takes the wish', async () => {
    const poor = await testApp({ ...model(), QUIRE_CREDITS_NEW_USER: '0' });
    try {
      // Who registers now could not build anything.
      expect(await (await open('/', '', poor)).text()).not.toContain('/try/build');
      expect(goTo(await post({ wish: 'a quiz' }, { app: poor }))).toBe('/try?wish=a+quiz');
      const person = await poor.user('wish-poor');
      const cookie = await person.login();
      for (const done of [
        await post({ wish: 'a quiz' }, { cookie, app: poor }),
        await open('/try/build?wish=a+quiz', cookie, poor),
      ])
        expect([done.status, goTo(done)]).toEqual([303, '/try?wish=a+quiz']);
      const screen = await (await open('/try?wish=a+quiz', cookie, poor)).text();
      expect(screen).not.toContain('/try/build');
      expect(screen).not.toMatch(/credit|model/i);
    } finally {
      await poor.stop();
    }
  });
});

test('a run that cannot begin keeps the words, says why, and shows the nearest template', async () => {
  const person = await quire.user('wish-full');
  const { promise, resolve } = Promise.withResolvers<void>();
  const cookie = await person.login();
  service.vendor.play(() => ({ text: 'Slowly.', pace: () => promise }));
  try {
    for (const wish of ['One', 'Two']) expect((await post({ wish }, { cookie })).status).toBe(303);
    const refused = await post({ wish: 'A quiz about bees' }, { cookie });
    const text = await refused.text();
    expect(refused.status).toBe(429);
    expect(text).toContain('role="alert"');
    expect(text).toContain('value="A quiz about bees"');
  } finally {
    resolve();
    service.vendor.play([]);
  }
});

test('a server without a model has the box for templates only', async () => {
  const plain = await testApp();
  try {
    expect(await (await open('/', '', plain)).text()).not.toContain('/try/build');
    expect(goTo(await post({ wish: 'a quiz' }, { app: plain }))).toBe('/try?wish=a+quiz');
    expect(goTo(await open('/try/build?wish=a+quiz', '', plain))).toBe('/try?wish=a+quiz');
  } finally {
    await plain.stop();
  }
});

test('a server without open registration leads to the login', async () => {
  const closed = await testApp({
    ...model(),
    QUIRE_REGISTRATION: 'closed',
    QUIRE_CREDITS_NEW_USER: '0',
  });
  try {
    const start = await (await open('/', '', closed)).text();
    expect(start).toContain('action="/try/build"');
    expect(start).toContain('Or start with a template');
    expect(goTo(await post({ wish: 'a quiz' }, { app: closed }))).toBe(
      `/login?next=${encodeURIComponent('/try/build?wish=a+quiz')}`,
    );
  } finally {
    await closed.stop();
  }
});
