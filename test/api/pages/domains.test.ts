import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createBroadcast } from '../../../server/platform/coordination/events/index.ts';
import { createLimits } from '../../../server/platform/coordination/limits/index.ts';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { createDomains } from '../../../server/product/pages/domains/index.ts';
import type { PageDirectory } from '../../../server/product/pages/index.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';
import { addDomain, connectDomain, listDomains, verifyDomain } from '../../support/pages/domains.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let dns: DnsServer;
let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  dns = await startDns();
  quire = await testApp({ QUIRE_DNS_SERVERS: dns.address, QUIRE_FUNCTIONS_HOST: 'functions.test' });
  owner = await quire.user('owner');
});
afterAll(async () => {
  await quire.stop();
  await dns.stop();
});

let count = 0;
const newDomain = () => `site${++count}.example.com`;
/** A new owner for tests that verify often. */
const newOwner = () => quire.user(`owner${++count}`);
const textAt = async (domain: string) => (await quire.request(`http://${domain}:3000/`)).text();
const publish = (text: string, user = owner) => user.publish({ html_content: `<title>t</title><p>${text}` });

test('a domain shows the page once its TXT record is there, and no longer once it is removed', async () => {
  const page = await publish('Hello');
  const domain = newDomain();
  const added = await addDomain(owner, page, domain.toUpperCase());
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject({ domain, status: 'pending', is_canonical: false, problem: null });
  const [proof, pointer] = added.body.dns;
  expect(proof).toEqual({
    type: 'TXT',
    name: `_quire.${domain}`,
    value: expect.stringMatching(/^quire-verification=[\w-]{43}$/),
  });
  expect(pointer).toEqual({ type: 'CNAME', name: domain, value: 'localhost' });
  expect((await addDomain(owner, page, domain)).body.dns).toEqual(added.body.dns);

  const early = await verifyDomain(owner, page, domain);
  expect([early.status, early.body.status]).toEqual([200, 'pending']);
  expect(early.body.problem).toStartWith(`There is no TXT record at _quire.${domain} yet.`);
  expect(await textAt(domain)).not.toContain('Hello');

  dns.set(proof.name, { txt: ['v=spf1 -all', proof.value] });
  expect((await verifyDomain(owner, page, domain)).body).toMatchObject({ status: 'verified', problem: null });
  expect(await textAt(domain)).toContain('Hello');
  const [listed] = await listDomains(owner, page);
  expect(listed).toMatchObject({ domain, is_canonical: true });
  const read = () => owner.call('GET', `/api/pages/${page.id}/domains/${domain}`);
  expect((await read()).body).toEqual(listed);

  const remove = () => owner.call('DELETE', `/api/pages/${page.id}/domains/${domain}`);
  expect((await remove()).status).toBe(200);
  expect(await listDomains(owner, page)).toEqual([]);
  expect(await textAt(domain)).not.toContain('Hello');
  expect((await remove()).status).toBe(404);
  expect((await read()).status).toBe(404);
});

describe('what cannot be a domain', () => {
  test.each([
    ['localhost', 'must not be localhost'],
    ['shop.localhost', 'must not be localhost'],
    ['p1.functions.test', 'belongs to this service'],
    ['functions.test', 'belongs to this service'],
    ['127.0.0.1', 'not an IP address'],
    ['0x7f.1', 'not an IP address'],
    ['[::1]', 'not an IP address'],
    ['2001:db8::1', 'not an IP address'],
    ['*.example.com', 'must not be a wildcard'],
    ['example.com:8080', 'must not have a port'],
    ['example.com.', 'must not end with a dot'],
    ['example。com。', 'must not end with a dot'],
    ['example', 'at least two parts'],
    ['https://example.com/', 'must be a domain alone'],
    ['example.com/shop', 'must be a domain alone'],
    ['me@example.com', 'must be a domain alone'],
    ['_quire.example.com', 'is not a valid domain'],
    ['-a.example.com', 'is not a valid domain'],
    ['a..example.com', 'is not a valid domain'],
    ['exa mple.com', 'is not a valid domain'],
    ['xn--zzzzzz99.com', 'is not a valid domain'],
    ['', 'is not a valid domain'],
    [`${'a'.repeat(64)}.com`, 'at most 63 characters'],
    [`${'a.'.repeat(123)}c`, 'at most 246 characters'],
    ['a'.repeat(301), 'at most 300 characters'],
    ['pаypal.com', 'must not mix letters of different scripts'],
    ['xn--pypal-4ve.com', 'must not mix letters of different scripts'],
  ])('%s', async (domain, reason) => {
    const page = await owner.publish();
    const { status, body } = await addDomain(owner, page, domain);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.stringify(body)).toContain(reason);
  });

  test('the longest names can be', async () => {
    const page = await owner.publish();
    for (const domain of [`${'a'.repeat(63)}.com`, `${'a.'.repeat(122)}cd`]) {
      expect((await addDomain(owner, page, domain)).status).toBe(201);
    }
  });
});

test.each([
  ['Bücher.Example', 'xn--bcher-kva.example', 'bücher.example'],
  ['日本語かな.example', 'xn--u8j2c547sncbk91h.example', '日本語かな.example'],
  // All letters are Cyrillic. It looks like another name, so both forms are shown.
  ['аррӏе.com', 'xn--80ak6aa92e.com', 'аррӏе.com'],
])('the international name %s is stored in ASCII and shown in both forms', async (given, domain, unicode) => {
  const page = await owner.publish();
  const added = await addDomain(owner, page, given);
  expect(added.body).toMatchObject({ domain, unicode });
  expect(added.body.dns[0].name).toBe(`_quire.${domain}`);
  expect((await verifyDomain(owner, page, given)).body.domain).toBe(domain);
});

test('a page has at most 20 domains', async () => {
  const page = await owner.publish();
  const last = newDomain();
  for (let index = 1; index < 20; index++) await addDomain(owner, page, newDomain());
  expect((await addDomain(owner, page, last)).status).toBe(201);
  expect(await addDomain(owner, page, newDomain())).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED' },
  });
  expect((await addDomain(owner, page, last)).status).toBe(201);
  expect(await listDomains(owner, page)).toHaveLength(20);
});

test('only the owner of a page can change its domains', async () => {
  const page = await owner.publish();
  const stranger = await newOwner();
  const domain = newDomain();
  expect((await addDomain(stranger, page, domain)).status).toBe(403);
  await addDomain(owner, page, domain);
  expect((await verifyDomain(stranger, page, domain)).status).toBe(403);
  expect((await stranger.call('GET', `/api/pages/${page.id}/domains`)).status).toBe(403);
  expect((await stranger.call('DELETE', `/api/pages/${page.id}/domains/${domain}`)).status).toBe(403);
  expect((await quire.call('GET', `/api/pages/${page.id}/domains`)).status).toBe(401);
  expect((await verifyDomain(owner, page, newDomain())).status).toBe(404);
});

describe('the proof', () => {
  test('is found in parts, behind a CNAME and among 1,000 other records', async () => {
    const user = await newOwner();
    const page = await publish('Proven', user);
    const ask = async (toAnswers: (name: string, value: string) => void) => {
      const domain = newDomain();
      const { body } = await addDomain(user, page, domain);
      const [{ name, value }] = body.dns;
      toAnswers(name, value);
      return (await verifyDomain(user, page, domain)).body.status;
    };
    const parts = (value: string) => [value.slice(0, 10), value.slice(10, 11), value.slice(11)];
    expect(await ask((name, value) => dns.set(name, { txt: ['other', parts(value)] }))).toBe('verified');
    expect(
      await ask((name, value) => {
        dns.set(name, { cname: 'proofs.example.net' });
        dns.set('proofs.example.net', { txt: [value] });
      }),
    ).toBe('verified');
    const others = Array.from({ length: 1000 }, (_, index) => `record ${index}`);
    expect(await ask((name, value) => dns.set(name, { txt: [...others, value] }))).toBe('verified');
    expect(await ask((name) => dns.set(name, { txt: others }))).toBe('pending');
    expect(
      await ask((name, value) => dns.set(name, { txt: [parts(value).slice(1), value.slice(0, -1)] })),
    ).toBe('pending');
  });

  test.each([
    ['SERVFAIL', { fails: 'SERVFAIL' }, 'did not answer'],
    ['silence', { fails: 'silence' }, 'did not answer'],
    ['garbage', { fails: 'garbage' }, 'did not answer'],
    ['an answer without records', { a: ['127.0.0.1'] }, 'There is no TXT record'],
    ['a CNAME to nothing', { cname: 'nothing.example.net' }, 'There is no TXT record'],
    ['another value', { txt: ['quire-verification=other'] }, 'has another value'],
  ] as const)('is not found with %s', async (_, answers, problem) => {
    const user = await newOwner();
    const page = await user.publish();
    const domain = newDomain();
    await addDomain(user, page, domain);
    dns.set(`_quire.${domain}`, answers as Parameters<DnsServer['set']>[1]);
    const { status, body } = await verifyDomain(user, page, domain);
    expect([status, body.status]).toEqual([200, 'pending']);
    expect(body.problem).toContain(problem);
  });

  test('can be looked for 30 times in ten minutes', async () => {
    const user = await newOwner();
    const page = await user.publish();
    const domain = newDomain();
    await addDomain(user, page, domain);
    const before = dns.asked.length;
    const answers = await Promise.all(Array.from({ length: 50 }, () => verifyDomain(user, page, domain)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    expect(dns.asked.length - before).toBe(30);
  });
});

describe('two pages that want a domain', () => {
  test('both can add it, and the first with a proof has it until its record is gone', async () => {
    const [first, second] = [await newOwner(), await newOwner()];
    const [one, two] = [await publish('First', first), await publish('Second', second)];
    const domain = newDomain();
    const firstValue = await connectDomain(dns, first, one, domain);
    const { body } = await addDomain(second, two, domain);
    const secondValue: string = body.dns[0].value;
    expect(secondValue).not.toBe(firstValue);

    expect((await verifyDomain(second, two, domain)).body.status).toBe('pending');
    dns.set(`_quire.${domain}`, { txt: [firstValue, secondValue] });
    expect(await verifyDomain(second, two, domain)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
    expect(await textAt(domain)).toContain('First');

    dns.set(`_quire.${domain}`, { txt: [secondValue] });
    expect((await verifyDomain(second, two, domain)).body.status).toBe('verified');
    expect(await textAt(domain)).toContain('Second');
    expect(await listDomains(first, one)).toMatchObject([{ status: 'pending', is_canonical: false }]);
    const html = await (await quire.request(`/p/${one.slug}`)).text();
    expect(html).toContain(`og:url" content="${one.url}"`);
  });

  test('verified at the same moment, one gets it', async () => {
    const user = await newOwner();
    const pages = await Promise.all([publish('A', user), publish('B', user)]);
    const domain = newDomain();
    const added = await Promise.all(pages.map((page) => addDomain(user, page, domain)));
    dns.set(`_quire.${domain}`, { txt: added.map(({ body }) => body.dns[0].value) });
    const answers = await Promise.all(pages.map((page) => verifyDomain(user, page, domain)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test('a domain is free again when its page is deleted', async () => {
  const user = await newOwner();
  const [page, next] = [await publish('Old', user), await publish('New', user)];
  const domain = newDomain();
  await connectDomain(dns, user, page, domain);
  expect(await textAt(domain)).toContain('Old');
  await user.call('DELETE', `/api/pages/${page.id}`);
  expect(await textAt(domain)).not.toContain('Old');
  await connectDomain(dns, user, next, domain);
  expect(await textAt(domain)).toContain('New');
});

test('a fork has none of the domains', async () => {
  const user = await newOwner();
  const page = await publish('Forked', user);
  await connectDomain(dns, user, page, newDomain());
  const { body } = await user.call('POST', `/api/pages/${page.id}/fork`);
  expect(await listDomains(user, body.page)).toEqual([]);
});

test('the records of verified domains are checked every day, and every hour while one is missing', async () => {
  const user = await newOwner();
  const page = await publish('Checked', user);
  const [kept, lost] = [newDomain(), newDomain()];
  for (const domain of [kept, lost]) await connectDomain(dns, user, page, domain);
  dns.set(`_quire.${lost}`, undefined);
  let now = Date.now();
  const storage = await startStorage(quire);
  const { recheck } = createDomains(
    {
      ...{ db: storage.db, now: () => now, broadcast: createBroadcast(), limits: createLimits() },
      ...{ directory: {} as PageDirectory, hasFunction: async () => false },
      config: {
        baseUrl: quire.baseUrl,
        ...{ pagesHost: undefined, functionsHost: undefined, dnsServers: [dns.address], trustedProxies: [] },
      },
    },
    () => undefined,
  );
  const askedFor = async (domain: string) => {
    dns.asked.length = 0;
    await recheck(() => false);
    return dns.asked.filter((name) => name === `_quire.${domain}`).length;
  };
  expect(await askedFor(lost)).toBe(0);
  now += DAY_MS;
  expect(await askedFor(lost)).toBe(1);
  expect(await listDomains(user, page)).toMatchObject([{ status: 'verified' }, { status: 'failing' }]);
  now += HOUR_MS;
  expect(await askedFor(lost)).toBe(1);
  expect(await askedFor(kept)).toBe(0);
  now += 7 * DAY_MS;
  await recheck(() => true);
  expect(await listDomains(user, page)).toMatchObject([{ status: 'verified' }, { status: 'failing' }]);
  expect(await askedFor(kept)).toBe(1);
  expect(await listDomains(user, page)).toMatchObject([{ status: 'verified' }, { status: 'pending' }]);
  await storage.stop();
});

/** The last test: it moves the clock. */
test('a page keeps a domain for 7 days after its record is gone, and longer while DNS does not answer', async () => {
  const user = await newOwner();
  const page = await publish('Kept', user);
  const domain = newDomain();
  const value = await connectDomain(dns, user, page, domain);
  const login = async () => {
    const { body } = await quire.call('POST', '/api/auth/token', {
      body: { username: user.username, password: user.password },
    });
    return {
      ...user,
      call: (method: string, path: string) => quire.call(method, path, { token: body.accessToken }),
    };
  };
  const statusNow = async () => (await verifyDomain(await login(), page, domain)).body.status;

  dns.set(`_quire.${domain}`, { fails: 'SERVFAIL' });
  expect(await statusNow()).toBe('verified');
  quire.advance(30 * DAY_MS);
  expect(await statusNow()).toBe('verified');
  dns.set(`_quire.${domain}`, undefined);
  expect(await statusNow()).toBe('failing');
  quire.advance(7 * DAY_MS - HOUR_MS);
  expect(await statusNow()).toBe('failing');
  expect(await textAt(domain)).toContain('Kept');
  dns.set(`_quire.${domain}`, { txt: [value] });
  expect(await statusNow()).toBe('verified');

  dns.set(`_quire.${domain}`, undefined);
  expect(await statusNow()).toBe('failing');
  quire.advance(7 * DAY_MS);
  expect(await statusNow()).toBe('pending');
  expect(await textAt(domain)).not.toContain('Kept');
});
