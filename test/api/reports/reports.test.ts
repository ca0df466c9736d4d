import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_OPEN_REPORTS, REPORTS_PER_DAY, REPORTS_PER_HOUR } from '../../../contract/reports/limits.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { readMetrics } from '../../support/http/metrics.ts';

/** Reports of pages: who sends them, who sees what of them, and their limits. */

const SCRIPT = '<script>alert(document.cookie)</script>';
const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let boss: Administrator;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_ANONYMOUS_PAGES: 'on' });
  boss = await administrator(quire, 'boss');
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

let addresses = 0;
const newAddress = () => `198.51.${addresses >> 8}.${addresses++ & 255}`;
const report = (page: unknown, more: object = {}, peer = newAddress()) =>
  quire.call('POST', '/api/reports', { body: { page, reason: 'scam', ...more }, peer });
const sendForm = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  quire.request('/report', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    peer: newAddress(),
  });
const readAll = async (state = 'open') =>
  (await boss.admin('GET', `/api/admin/reports?state=${state}&limit=100`)).body.reports;
const readFor = async (page: PublishedPage, state = 'open') =>
  (await readAll(state)).filter((each: { page: { id: number } }) => each.page.id === page.id);
const ownReports = (page: PublishedPage, user: TestUser = owner) =>
  user.call('GET', `/api/pages/${page.id}/reports`);
const rows = (page: PublishedPage) =>
  readSql<{ id: string; address_hash: string | null; state: string }>(
    quire,
    `select * from page_reports where page_id = ${page.id}`,
  );

describe('a report', () => {
  test('needs no account, and administrators see everything of it but the address of its sender', async () => {
    const page = await owner.publish({ name: 'Bank' });
    const sent = await report(page.slug, { text: ` ${SCRIPT} `, contact: 'ann@example.com' });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const [found] = await readFor(page);
    expect(found).toMatchObject({
      ...{ id: sent.body.id, reason: 'scam', text: SCRIPT, contact: 'ann@example.com', state: 'open' },
      ...{ hasChanged: false, closedAt: null, answer: null, picture: null },
      page: { id: page.id, name: 'Bank', owner: { username: 'owner' }, takenDown: null },
    });
    expect(JSON.stringify(found)).not.toContain('198.51.');
    const [row] = await rows(page);
    expect(row?.address_hash).toMatch(/^[\w-]{43}$/);
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>Other' } });
    expect((await readFor(page))[0].hasChanged).toBe(true);
  });

  test.each([
    ['its id', (page: PublishedPage) => String(page.id)],
    ['its URL', (page: PublishedPage) => page.url],
    ['its URL with more behind it', (page: PublishedPage) => `${page.url}/a/b.html?c#d`],
    ['its path', (page: PublishedPage) => `/p/${page.slug}`],
    ['its URL without a scheme', (page: PublishedPage) => page.url.replace('http://', '')],
  ])('names the page by %s', async (_, name) => {
    const page = await owner.publish();
    expect((await report(name(page))).status).toBe(201);
    expect(await rows(page)).toHaveLength(1);
  });

  test('is refused for what is not a page, like for a draft', async () => {
    const draft = await owner.publish({ is_published: false, name: 'Secret plans' });
    const refusals = [
      await report('no-such-page'),
      await report(draft.slug),
      await report(draft.id.toString()),
      await report('https://elsewhere.example/p/x'),
      await report('https://'),
    ];
    for (const { status, body } of refusals) expect([status, body]).toEqual([404, refusals[0]?.body]);
    expect(await rows(draft)).toEqual([]);
  });

  test('can be about a page that not everyone sees, and about one that nobody has claimed', async () => {
    const closed = await owner.publish({ access: { mode: 'password', password: 'open sesame' } });
    expect((await report(closed.slug)).status).toBe(201);
    const made = await quire.call('POST', '/api/publish', { body: { html_content: '<p>Hi' } });
    expect((await report(made.body.url)).status).toBe(201);
  });

  test.each([
    ['no page', { page: '' }, 'page'],
    ['no reason', { reason: undefined }, 'reason'],
    ['another reason', { reason: 'boring' }, 'reason'],
    ['a text that is too long', { text: 'x'.repeat(2_001) }, 'text'],
    ['a contact that is too long', { contact: 'x'.repeat(201) }, 'contact'],
    ['a text with a NUL', { text: '\0' }, 'text'],
    ['an unknown field', { address: '1.2.3.4' }, 'address'],
  ])('with %s is refused', async (_, more, field) => {
    const { status, body } = await report('x', more);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toContain(field);
  });

  test('can have a text of 2,000 characters', async () => {
    const page = await owner.publish();
    expect((await report(page.slug, { text: '😀'.repeat(2_000), contact: 'x'.repeat(200) })).status).toBe(
      201,
    );
  });

  test('is refused from other origins, also from pages of this server', async () => {
    const page = await owner.publish();
    const cookie = await stranger.login();
    for (const headers of [
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const body = { page: page.slug, reason: 'scam' };
      const sent = await quire.call('POST', '/api/reports', { body, headers, cookie, peer: newAddress() });
      expect(sent.status).toBe(403);
      expect((await sendForm({ page: page.slug, reason: 'scam' }, headers)).status).toBe(403);
    }
    expect(await rows(page)).toEqual([]);
  });
});

describe('the screen', () => {
  test('is found by search engines, but not once for each page', async () => {
    const empty = await quire.request('/report');
    expect([empty.status, empty.headers.get('x-robots-tag')]).toEqual([200, null]);
    expect(await empty.text()).toContain('<meta name="description" content="Tell the administrators');
    const filled = await quire.request('/report?page=bank');
    expect(filled.headers.get('x-robots-tag')).toBe('noindex');
    expect(await filled.text()).not.toContain('name="description"');
    const wrong = await sendForm({ page: '', reason: 'scam' });
    expect([wrong.status, wrong.headers.get('x-robots-tag')]).toEqual([400, 'noindex']);
  });

  test('shows the address that was asked for, and nothing of the page', async () => {
    const page = await owner.publish({ name: 'Zanzibar' });
    const response = await quire.request(`/report?page=${encodeURIComponent(`"><script>${page.id}`)}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(text).toContain(`value="&quot;&gt;&lt;script&gt;${page.id}"`);
    expect(text).not.toContain('Zanzibar');
    expect((await quire.request(`/report?page=${'x'.repeat(2_001)}`)).status).toBe(400);
  });

  test('shows again what was typed, and no more than fits into its fields', async () => {
    const page = await owner.publish();
    const typed = '"'.repeat(20_000);
    for (const field of ['page', 'text', 'contact']) {
      const refused = await sendForm({ page: page.url, reason: 'scam', text: 'Seen "it"', [field]: typed });
      const text = await refused.text();
      expect([field, refused.status, text.length < 64 * 1024]).toEqual([field, 400, true]);
      if (field !== 'text') expect(text).toContain('Seen &quot;it&quot;');
    }
  });

  test('thanks for a report without a script', async () => {
    const page = await owner.publish();
    const response = await sendForm({ page: page.url, reason: 'other', text: 'a\r\nb', contact: '' });
    expect(response.status).toBe(201);
    expect(await response.text()).toContain('Thank you');
    expect((await readFor(page))[0]).toMatchObject({ reason: 'other', text: 'a\nb' });
  });

  test('keeps what was written if something is wrong with it', async () => {
    const page = await owner.publish();
    const wrong = { page: page.slug, reason: '', text: SCRIPT, contact: 'me@example.com' };
    const response = await sendForm(wrong);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain('Choose what is wrong with the page.');
    expect(text).toContain('&lt;script&gt;alert(document.cookie)&lt;/script&gt;</textarea>');
    expect(text).not.toContain(SCRIPT);
    expect(text).toContain('value="me@example.com"');
    expect((await sendForm({ ...wrong, page: ' ', reason: 'scam' })).status).toBe(400);
    expect((await sendForm({ ...wrong, page: 'nothing-here', reason: 'scam' })).status).toBe(404);
    expect(await rows(page)).toEqual([]);
  });
});

describe('limits', () => {
  test('an address sends five reports an hour', async () => {
    const peer = newAddress();
    const pages = await Promise.all(Array.from({ length: REPORTS_PER_HOUR + 1 }, () => owner.publish()));
    const last = pages.at(-1);
    for (const page of pages.slice(0, -1)) expect((await report(page.slug, {}, peer)).status).toBe(201);
    const refused = await report(last?.slug, {}, peer);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await report(last?.slug)).status).toBe(201);
  });

  test('a thousand reports by one address leave twenty, and a day later one more', async () => {
    const pages: PublishedPage[] = [];
    for (let count = 0; count < REPORTS_PER_DAY + 1; count++) pages.push(await stranger.publish());
    const [first, ...others] = pages;
    const last = others.pop();
    const peer = newAddress();
    expect((await report(first?.slug, {}, peer)).status).toBe(201);
    const [row] = await rows(first as PublishedPage);
    // All but one, as if they had been sent in the hours before.
    for (const [index, page] of others.slice(0, -1).entries())
      await runSql(
        quire,
        `insert into page_reports (id, page_id, version, reason, text, contact, address_hash, state, created_at)
         select '99999999-0000-4000-8000-0000000000${String(index).padStart(2, '0')}', ${page.id}, version, reason, text, contact, address_hash, state, created_at
         from page_reports where id = '${row?.id}'`,
      );
    expect((await report(others.at(-1)?.slug, {}, peer)).status).toBe(201);
    const refused = await report(last?.slug, {}, peer);
    expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('today')]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    for (let count = 0; count < 1_000; count++)
      expect((await report(pages[count % pages.length]?.slug, {}, peer)).status).toBeOneOf([201, 429]);
    const left = await readSql(
      quire,
      `select id from page_reports where address_hash = '${row?.address_hash}'`,
    );
    expect(left).toHaveLength(REPORTS_PER_DAY);
  }, 60_000);

  test('a second report of a page from an address replaces the first', async () => {
    const page = await owner.publish();
    const peer = '2001:db8:1:2::1';
    const first = await report(page.slug, { text: 'one' }, peer);
    const second = await report(page.slug, { text: 'two', reason: 'malware' }, '2001:db8:1:2:ffff::7');
    expect(second.body.id).toBe(first.body.id);
    expect(await readFor(page)).toMatchObject([{ text: 'two', reason: 'malware' }]);
    await boss.admin('POST', `/api/admin/reports/${first.body.id}/dismiss`);
    const third = await report(page.slug, { text: 'three' }, peer);
    expect(third.body.id).not.toBe(first.body.id);
  });

  test('a page has a hundred open reports', async () => {
    const page = await owner.publish();
    for (let count = 0; count < MAX_OPEN_REPORTS; count++) expect((await report(page.slug)).status).toBe(201);
    const refused = await report(page.slug);
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    const [{ id }] = await readFor(page);
    const { body } = await boss.admin('POST', `/api/admin/reports/${id}/dismiss`, { all: true });
    expect(body.message).toBe('100 reports are dismissed.');
    expect(await readFor(page)).toEqual([]);
    expect((await report(page.slug)).status).toBe(201);
  });
});

describe('administrators', () => {
  test('take a page down, which upholds its reports', async () => {
    const page = await owner.publish();
    const other = await owner.publish();
    await report(page.slug);
    await report(page.slug);
    await report(other.slug);
    await boss.admin('POST', `/api/admin/pages/${page.id}/take-down`, { reason: 'A fake bank.' });
    expect(await readFor(page)).toEqual([]);
    expect(await readFor(other)).toHaveLength(1);
    const upheld = await readFor(page, 'upheld');
    expect(upheld).toHaveLength(2);
    expect(upheld[0]).toMatchObject({ state: 'upheld', page: { takenDown: { reason: 'A fake bank.' } } });
    const again = await report(page.slug);
    expect([again.status, again.body.error]).toEqual([409, expect.stringContaining('taken down already')]);
    const late = await boss.admin('POST', `/api/admin/reports/${upheld[0].id}/dismiss`);
    expect([late.status, late.body.code]).toEqual([409, 'CONFLICT']);
  });

  test('dismiss one report, which is in the audit log', async () => {
    const page = await owner.publish({ name: 'Harmless' });
    const { body } = await report(page.slug);
    await report(page.slug);
    const done = await boss.admin('POST', `/api/admin/reports/${body.id}/dismiss`);
    expect([done.status, done.body.message]).toEqual([200, 'The report is dismissed.']);
    expect(await readFor(page)).toHaveLength(1);
    const { entries } = (await boss.admin('GET', '/api/admin/audit?target=harmless')).body;
    expect(entries.map(({ action, actor }: Record<string, string>) => [action, actor])).toEqual([
      ['page.dismiss_reports', 'boss'],
      ['page.report', 'the service'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('198.51.');
    const missing = '/api/admin/reports/00000000-0000-4000-8000-000000000000/dismiss';
    expect((await boss.admin('POST', missing)).status).toBe(404);
    expect((await boss.admin('POST', '/api/admin/reports/1/dismiss')).status).toBe(404);
  });

  test('read the list in parts, and know how many are open', async () => {
    const all = (await boss.admin('GET', '/api/admin/reports')).body;
    const second = (await boss.admin('GET', '/api/admin/reports?limit=1&offset=1')).body;
    expect(second).toMatchObject({ total: all.total, limit: 1, offset: 1, reports: [all.reports[1]] });
    expect((await boss.admin('GET', '/api/admin/reports?state=lost')).status).toBe(400);
    const open = (await boss.admin('GET', '/api/admin/reports?state=open&limit=1')).body.total;
    await quire.app.sweep();
    expect(readMetrics(await (await quire.request('/metrics')).text()).get('quire_page_reports_open')).toBe(
      open,
    );
    expect((await boss.call('GET', '/api/home')).body.openReports).toBe(open);
    expect((await owner.call('GET', '/api/home')).body.openReports).toBe(0);
  });
});

describe('the owner of a page', () => {
  test('sees what is said, not by whom, and answers', async () => {
    const page = await owner.publish();
    const { body } = await report(page.slug, { text: 'Fake', contact: 'ann@example.com' });
    const list = await ownReports(page);
    expect(list.body.reports).toEqual([
      {
        id: body.id,
        reason: 'scam',
        text: 'Fake',
        createdAt: expect.any(String),
        state: 'open',
        answer: null,
      },
    ]);
    const path = `/api/pages/${page.id}/reports/${body.id}/answer`;
    const answered = await owner.call('POST', path, { body: { text: ` ${SCRIPT} ` } });
    expect([answered.status, answered.body.answer.text]).toEqual([200, SCRIPT]);
    expect((await readFor(page))[0].answer).toEqual({ text: SCRIPT, at: expect.any(String) });
    for (const text of ['', '  ', 'x'.repeat(2_001)])
      expect((await owner.call('POST', path, { body: { text } })).status).toBe(400);
    expect((await owner.call('POST', path, { body: { text: 'x'.repeat(2_000) } })).status).toBe(200);
    const activity = (await owner.call('GET', '/api/auth/activity')).body;
    expect(JSON.stringify(activity)).not.toMatch(/198\.51|ann@example/);
  });

  test('answers after the page was taken down, and not after the report was dismissed', async () => {
    const page = await owner.publish();
    const answer = (id: string) =>
      owner.call('POST', `/api/pages/${page.id}/reports/${id}/answer`, { body: { text: 'No' } });
    const first = (await report(page.slug)).body.id;
    await boss.admin('POST', `/api/admin/reports/${first}/dismiss`);
    expect((await answer(first)).status).toBe(409);
    const second = (await report(page.slug)).body.id;
    await boss.admin('POST', `/api/admin/pages/${page.id}/take-down`, { reason: 'x' });
    expect((await answer(second)).status).toBe(200);
    expect((await readFor(page, 'upheld'))[0].answer.text).toBe('No');
  });

  test('cannot answer reports of another page', async () => {
    const [page, other] = [await owner.publish(), await stranger.publish()];
    const { id } = (await report(other.slug)).body;
    const sent = await owner.call('POST', `/api/pages/${page.id}/reports/${id}/answer`, {
      body: { text: 'x' },
    });
    expect(sent.status).toBe(404);
  });

  test('deletes the reports with the page', async () => {
    const page = await owner.publish();
    await report(page.slug);
    expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
    expect(await rows(page)).toEqual([]);
  });
});

test('only administrators list and dismiss, and only the owner reads and answers', async () => {
  const page = await owner.publish({ storage_mode: 'team_app' });
  const invited = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'admin' } });
  const code = String(invited.body.inviteUrl ?? invited.body.url)
    .split('/')
    .at(-1);
  const colleague = await quire.user('colleague');
  const cookie = await colleague.login();
  expect((await quire.call('POST', `/api/join/${code}`, { cookie })).status).toBe(200);
  const { id } = (await report(page.slug)).body;
  const answer = { body: { text: 'x' } };
  const ways = [
    ['GET', '/api/admin/reports', {}],
    ['POST', `/api/admin/reports/${id}/dismiss`, {}],
    ['GET', `/api/pages/${page.id}/reports`, {}],
    ['POST', `/api/pages/${page.id}/reports/${id}/answer`, answer],
  ] as const;
  const statuses = (call: (method: string, path: string, options: object) => Promise<{ status: number }>) =>
    Promise.all(ways.map(async ([method, path, options]) => (await call(method, path, options)).status));
  expect(await statuses(quire.call)).toEqual([401, 401, 401, 401]);
  expect(await statuses(stranger.call)).toEqual([403, 403, 403, 403]);
  expect(await statuses(colleague.call)).toEqual([403, 403, 403, 403]);
  // An administrator is not the owner.
  expect((await statuses(boss.call)).slice(2)).toEqual([403, 403]);
  expect((await statuses(owner.call)).slice(0, 2)).toEqual([403, 403]);
  expect(await readFor(page)).toHaveLength(1);
  expect((await ownReports(page)).status).toBe(200);
});

test('who has sent a report is forgotten a day after it was decided, and the report after a year', async () => {
  const [page, open] = [await owner.publish(), await owner.publish()];
  const { id } = (await report(page.slug)).body;
  await report(open.slug);
  await boss.admin('POST', `/api/admin/reports/${id}/dismiss`);
  await quire.app.sweep();
  expect((await rows(page))[0]?.address_hash).not.toBeNull();
  quire.advance(DAY_MS + 1_000);
  await quire.app.sweep();
  expect((await rows(page))[0]?.address_hash).toBeNull();
  expect((await rows(open))[0]?.address_hash).not.toBeNull();
  quire.advance(364 * DAY_MS);
  await quire.app.sweep();
  expect(await rows(page)).toEqual([]);
  expect(await rows(open)).toHaveLength(1);
});
