import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { administrator } from '../../support/accounts/administrator.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { type LiveApp, type LiveClient, LiveRefusal, liveApp } from '../../support/data/live.ts';
import { connect, postForm } from '../../support/oauth.ts';
import { waitUntil } from '../../support/server.ts';

let app: LiveApp;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  app = await liveApp();
  owner = await app.user('owner');
  page = await owner.publish();
});
afterAll(() => app.stop());

/** Every connection is checked once a minute. What ends a login must not wait for that. */
const SOONER_MS = 30_000;

const guest = (name: string) => ({ protocols: [`guest.${name.padEnd(20, '-')}`] });

async function refusal(connecting: Promise<LiveClient>): Promise<LiveRefusal> {
  const outcome = await connecting.catch((error: unknown) => error);
  if (!(outcome instanceof LiveRefusal)) throw new Error('it was not refused');
  return outcome;
}

describe('a channel', () => {
  test.each(['page', 'solo_app', 'team_app', 'social_app'])('carries messages on a %s', async (mode) => {
    const { id } = await owner.publish({ storage_mode: mode });
    const [ada, bob] = [await app.connect(id), await app.connect(id)];
    await ada.join('room');
    await bob.join('room');
    const accepted = await ada.say('room', { x: [1, null, 'ä'] });
    expect(accepted.message).toEqual({ x: [1, null, 'ä'] });
    const heard = await bob.hear();
    expect(heard).toMatchObject({ message: { x: [1, null, 'ä'] }, from: ada.you });
    ada.close();
    bob.close();
  });

  test('keeps the order, and delivers nothing to other channels, to other pages, or after leaving', async () => {
    const other = await owner.publish();
    const [ada, bob, eve] = [
      await app.connect(page.id),
      await app.connect(page.id),
      await app.connect(other.id),
    ];
    for (const client of [ada, bob, eve]) await client.join('order');
    await bob.join('else');
    for (let n = 0; n < 30; n++)
      ada.send(JSON.stringify({ type: 'send', ref: 100 + n, channel: 'order', message: n }));
    for (let n = 0; n < 30; n++) expect((await bob.hear()).message).toBe(n);
    bob.send(JSON.stringify({ type: 'leave', ref: 1000, channel: 'order' }));
    await ada.sees('order', [ada.you.id]);
    await ada.say('order', 'last');
    await bob.join('order');
    await ada.say('order', 'again');
    expect((await bob.hear()).message).toBe('again');
    expect([...bob.events, ...eve.events].filter(({ type }) => type === 'message')).toEqual([]);
    for (const client of [ada, bob, eve]) client.close();
  });
});

describe('presence', () => {
  test('names everybody once, and says when somebody comes or goes', async () => {
    const cookie = await owner.login();
    const { id } = await owner.publish();
    const first = await app.connect(id, guest('first'));
    expect((await first.join('room')).presence).toEqual({ people: [first.you], count: 1 });
    const tabs = [await app.connect(id, { cookie }), await app.connect(id, { cookie })];
    expect(tabs[0]?.you).toEqual({ id: owner.id, username: 'owner' });
    for (const tab of tabs) await tab.join('room');
    await first.sees('room', [first.you.id, owner.id]);
    tabs[0]?.close();
    const third = await app.connect(id, guest('third'));
    await third.join('room');
    // The owner still has a tab.
    await first.sees('room', [first.you.id, owner.id, third.you.id]);
    tabs[1]?.close();
    await first.sees('room', [first.you.id, third.you.id]);
    first.close();
    third.close();
  });

  test('lists the first hundred and counts the rest', async () => {
    const { id } = await owner.publish();
    const clients: LiveClient[] = [];
    for (let n = 0; n < 101; n++)
      clients.push(await app.connect(id, { peer: `10.0.${n % 4}.1`, ...guest(`g${n}`) }));
    for (const client of clients.slice(0, 100)) await client.join('full');
    const at = await clients[0]?.join('full');
    expect([at.presence.people.length, at.presence.count]).toEqual([100, 100]);
    const past = await clients[100]?.join('full');
    expect([past.presence.people.length, past.presence.count]).toEqual([100, 101]);
    for (const client of clients) client.close();
  });

  test('a guest keeps an id that nobody else can take, and has another on another page', async () => {
    const other = await owner.publish();
    const [one, same, forged, elsewhere] = [
      await app.connect(page.id, guest('mine')),
      await app.connect(page.id, guest('mine')),
      await app.connect(page.id, guest('other')),
      await app.connect(other.id, guest('mine')),
    ];
    expect(one.you.id).toMatch(/^guest-[\w-]{16}$/);
    expect(same.you.id).toBe(one.you.id);
    // What others see is not what the browser shows.
    const thief = await app.connect(page.id, { protocols: [`guest.${one.you.id}`] });
    expect(new Set([one, forged, elsewhere, thief].map(({ you }) => you.id)).size).toBe(4);
    for (const client of [one, same, forged, elsewhere, thief]) client.close();
  });

  test('nobody can say who they are in a request', async () => {
    const client = await app.connect(page.id);
    await client.join('forged');
    for (const claim of [{ from: { id: 1, username: 'owner' } }, { tab: 'x' }, { person: 1 }]) {
      const answer = await client.ask({ type: 'send', channel: 'forged', message: 1, ...claim });
      expect(answer).toMatchObject({ type: 'refused', code: 'BAD_REQUEST' });
    }
    for (const type of ['presence', 'joined', 'welcome', 'message'])
      expect((await client.ask({ type, channel: 'forged', presence: {} })).type).toBe('refused');
    client.close();
  });
});

describe('who can connect', () => {
  test('a login counts only from the service itself, and a foreign site cannot connect', async () => {
    const cookie = await owner.login();
    const own = await app.connect(page.id, { cookie, origin: app.baseUrl });
    expect(own.you.id).toBe(owner.id);
    const sandboxed = await app.connect(page.id, { cookie, origin: 'null' });
    expect(sandboxed.you.username).toBeNull();
    expect((await refusal(app.connect(page.id, { cookie, origin: 'https://evil.example' }))).status).toBe(
      403,
    );
    own.close();
    sandboxed.close();
  });

  test('a token needs the scope pages:write to be somebody', async () => {
    const { body } = await owner.call('POST', '/api/auth/tokens', {
      body: { name: 'reader', scopes: ['pages:read'] },
    });
    const [reader, writer] = [
      await app.connect(page.id, { token: body.token ?? body.accessToken }),
      await app.connect(page.id, { token: owner.token }),
    ];
    expect(reader.you.username).toBeNull();
    expect(writer.you.username).toBe('owner');
    reader.close();
    writer.close();
  });

  test('strangers are refused on drafts and closed pages, and told nothing', async () => {
    const stranger = await app.user();
    const cookie = await stranger.login();
    const draft = await owner.publish({ is_published: false });
    const secret = await owner.publish({ access: { mode: 'private' } });
    for (const options of [{}, { cookie }, { token: stranger.token }]) {
      expect((await refusal(app.connect(draft.id, options))).status).toBe(404);
      expect([401, 403]).toContain((await refusal(app.connect(secret.id, options))).status);
    }
    expect((await refusal(app.connect(987654))).status).toBe(404);
    for (const { id } of [draft, secret]) (await app.connect(id, { token: owner.token })).close();
  });

  test('losing access ends the connection, and what is sent then does not arrive', async () => {
    const { id } = await owner.publish();
    const [kept, lost] = [await app.connect(id, { cookie: await owner.login() }), await app.connect(id)];
    for (const client of [kept, lost]) await client.join('room');
    await owner.call('PATCH', `/api/pages/${id}`, { body: { access: { mode: 'private' } } });
    await kept.say('room', 'secret');
    expect(await lost.closed).toBe(4403);
    expect(lost.events.filter(({ type }) => type === 'message')).toEqual([]);
    await kept.sees('room', [owner.id]);
    await owner.call('DELETE', `/api/pages/${id}`);
    expect(await kept.closed).toBe(4403);
  });

  test('a change of an open page ends nothing', async () => {
    const { id } = await owner.publish();
    const client = await app.connect(id);
    await client.join('room');
    await owner.call('PATCH', `/api/pages/${id}`, { body: { name: 'Other' } });
    expect((await client.say('room', 1)).type).toBe('message');
    client.close();
  });

  test('access that expires ends the connection', async () => {
    const expires_at = new Date(Date.now() + 600_000).toISOString();
    const { id } = await owner.publish({ access: { mode: 'public', expires_at } });
    const client = await app.connect(id);
    await client.join('room');
    app.advance(601_000);
    expect(await client.closed).toBe(4403);
  });

  test('logging out ends the connection, and only that one', async () => {
    const person = await app.user();
    const [first, second] = [await person.login(), await person.login()];
    const [out, stays] = [
      await app.connect(page.id, { cookie: first }),
      await app.connect(page.id, { cookie: second }),
    ];
    await app.call('POST', '/api/auth/logout', { cookie: first });
    expect(await out.closed).toBe(4401);
    expect((await stays.join('room')).type).toBe('joined');
    await app.call('PUT', '/api/auth/password', {
      cookie: second,
      body: { currentPassword: person.password, newPassword: 'another good password' },
    });
    const third = await app.call('DELETE', '/api/auth/sessions', { cookie: second });
    expect(third.status).toBe(204);
    expect((await stays.say('room', 1)).type).toBe('message');
    stays.close();
  });

  test(
    'an administrator who logs somebody out everywhere ends their connections',
    async () => {
      const [boss, person] = [await administrator(app), await app.user()];
      const client = await app.connect(page.id, { cookie: await person.login() });
      expect((await boss.admin('DELETE', `/api/admin/users/${person.id}/sessions`)).status).toBe(200);
      expect(await client.closed).toBe(4401);
    },
    SOONER_MS,
  );

  test(
    'an app that gives its token back ends the connection that it opened',
    async () => {
      const { clientId, access } = await connect(app, await app.user(), ['pages:write']);
      const client = await app.connect(page.id, { token: access });
      expect(client.you.username).not.toBeNull();
      expect((await postForm(app, '/oauth/revoke', { client_id: clientId, token: access })).status).toBe(200);
      expect(await client.closed).toBe(4401);
    },
    SOONER_MS,
  );
});

describe('limits', () => {
  test('a message has 4 KB at most, as JSON in UTF-8', async () => {
    const client = await app.connect(page.id);
    await client.join('size');
    // Two bytes each, and two quotes.
    const at = 'ä'.repeat(2047);
    expect((await client.say('size', at)).message).toBe(at);
    expect(await client.say('size', `${at}x`)).toMatchObject({ type: 'refused', code: 'PAYLOAD_TOO_LARGE' });
    client.send(`{"type":"send","ref":1,"channel":"size","message":"${'x'.repeat(16 * 1024)}"}`);
    expect(await client.closed).toBe(1009);
  });

  test('a visitor sends forty at once, then waits; who goes on is closed', async () => {
    const [one, same, other] = [
      await app.connect(page.id, guest('quick')),
      await app.connect(page.id, guest('quick')),
      await app.connect(page.id, guest('calm')),
    ];
    await one.join('rate');
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => one.say('rate', n)));
    const refused = answers.filter(({ type }) => type === 'refused');
    // Some come back while they are sent.
    expect(refused.length).toBeGreaterThan(5);
    expect(refused.length).toBeLessThanOrEqual(21);
    expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 });
    expect(answers.slice(0, 39).every(({ type }) => type === 'message')).toBe(true);
    // The other tab of the same visitor shares it; others do not. On a slow machine, some of it has come back by then.
    const shared = async () => {
      const used = Array.from({ length: 40 }, (_, n) => one.say('rate', n));
      const { type } = await same.join('rate');
      await Promise.all(used);
      return type === 'refused';
    };
    await waitUntil(shared);
    expect((await other.join('rate')).type).toBe('joined');
    for (let n = 0; n < 2_000; n++) one.send('{}');
    expect(await one.closed).toBe(1008);
    same.close();
    other.close();
  });

  test('a tab is in sixteen channels at most', async () => {
    const client = await app.connect(page.id);
    for (let n = 0; n < 16; n++) expect((await client.join(`c${n}`)).type).toBe('joined');
    expect(await client.join('c16')).toMatchObject({ type: 'refused', code: 'QUOTA_EXCEEDED' });
    expect((await client.join('c15')).type).toBe('joined');
    client.send(JSON.stringify({ type: 'leave', ref: 99, channel: 'c0' }));
    expect((await client.join('c16')).type).toBe('joined');
    client.close();
  });

  test('an address has a hundred tabs of a page at most', async () => {
    const { id } = await owner.publish();
    const peer = '10.9.9.9';
    const clients: LiveClient[] = [];
    for (let n = 0; n < 100; n++) clients.push(await app.connect(id, { peer }));
    const past = await refusal(app.connect(id, { peer }));
    expect([past.status, past.body.code]).toEqual([429, 'RATE_LIMITED']);
    (await app.connect(id, { peer: '10.9.9.8' })).close();
    (await app.connect(page.id, { peer })).close();
    const [gone, left] = clients as [LiveClient, LiveClient];
    await left.join('room');
    await gone.join('room');
    await left.sees('room', [left.you.id, gone.you.id]);
    gone.close();
    await left.sees('room', [left.you.id]);
    clients.push(await app.connect(id, { peer }));
    for (const client of clients) client.close();
  });

  test('broken requests are refused, and the connection goes on', async () => {
    const client = await app.connect(page.id);
    const deep = `${'['.repeat(1900)}${']'.repeat(1900)}`;
    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '{"type":"join","ref":-1,"channel":"x"}',
      '{"type":"join","ref":1}',
      deep,
    ]) {
      client.send(text);
      expect((await client.next(({ type }) => type === 'refused')).code).toBe('BAD_REQUEST');
    }
    client.send(new Uint8Array([1, 2]));
    expect((await client.next(({ type }) => type === 'refused')).error).toContain('text');
    for (const channel of ['', ' ', 'a b', '-x', 'ä', 'x'.repeat(65), '../x'])
      expect((await client.join(channel)).error).toContain('channel name');
    expect(await client.say('nowhere', 1)).toMatchObject({ type: 'refused', code: 'CONFLICT' });
    expect((await client.join('x'.repeat(64))).type).toBe('joined');
    expect((await client.say('x'.repeat(64), JSON.parse(deep))).type).toBe('message');
    client.close();
  });

  test('answers a request that is not for a WebSocket with 426', async () => {
    const { status, body } = await app.call('GET', `/api/pages/${page.id}/live`);
    expect([status, body.code]).toEqual([426, 'UPGRADE_REQUIRED']);
  });
});
