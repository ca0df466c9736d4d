import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { readMetrics } from '../../support/http/metrics.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

/** Mail about messages from forms, and about pages that somebody shares. */

const MINUTE_MS = 60_000;

let smtp: TestSmtp;
let app: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await testApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_FORMS_PER_MINUTE: '0' });
});
afterAll(async () => {
  await app.stop();
  await smtp.stop();
});

/** A user whose address is confirmed. */
async function owner(name: string): Promise<TestUser & { email: string }> {
  const user = await app.user(name);
  await runSql(app, `update users set email_confirmed_at = 1 where id = ${user.id}`);
  return { ...user, email: `${name}@example.com` };
}

const submit = (page: { id: number }, body: object, form = 'contact') =>
  app.call('POST', `/api/pages/${page.id}/forms/${form}`, { body });
const readNotices = (page: { id: number }) =>
  readSql<{ id: number }>(app, `select id from mails where bundle = 'forms of page ${page.id}'`);

test('the owner gets a mail about a message, without live links and with its markup as text', async () => {
  const olga = await owner('olga');
  const page = await olga.publish({ name: 'Bakery <b>www.evil.example</b>\r\nBcc: x@evil.example' });
  const text = 'See https://evil.example/login or write to me@evil.example <script>alert(1)</script>';
  await submit(page, { name: 'Ada', message: text, extra: ['a', 'b'], long: 'x'.repeat(20_000) });
  const mail = await smtp.nextMail(olga.email, /message/);
  expect(mail.subject).toStartWith('New message from “Bakery');
  expect(mail.raw).not.toContain('\nBcc');
  expect(mail.links).toEqual([`${app.baseUrl}/pages/${page.id}/forms`, app.baseUrl]);
  expect([...mail.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link)).toEqual([
    `${app.baseUrl}/pages/${page.id}/forms`,
    `${app.baseUrl}/pages/${page.id}/forms`,
  ]);
  expect(mail.html).not.toContain('<script');
  expect(mail.html).toContain('&lt;script&gt;');
  for (const linked of ['https://evil', 'evil.example', 'me@evil']) {
    expect(mail.text).not.toContain(linked);
    expect(mail.html).not.toContain(linked);
  }
  expect(mail.text).toContain('> extra: a, b');
  expect(mail.text.length).toBeLessThan(3_000);
});

test('many messages are one mail in ten minutes for each page, which says how many', async () => {
  const otto = await owner('otto');
  const [page, other] = [await otto.publish({ name: 'Shop' }), await otto.publish({ name: 'Blog' })];
  await submit(page, { name: 'first' });
  expect((await smtp.nextMail(otto.email, /Shop/)).subject).toBe('New message from “Shop”');
  await submit(other, { name: 'first' });
  await smtp.nextMail(otto.email, /Blog/);
  for (let count = 2; count <= 6; count++) await submit(page, { name: `no ${count}` }, `form-${count}`);
  // The one that is sent, and one that waits.
  expect(await readNotices(page)).toHaveLength(2);
  app.advance(10 * MINUTE_MS);
  const mail = await smtp.nextMail(otto.email, /Shop/);
  expect(mail.subject).toBe('5 new messages from “Shop”');
  expect(mail.text).toContain('> Form: form-2\n> name: no 2');
  expect(mail.text).toContain('And 2 more.');
  expect(smtp.mailsTo(otto.email).filter(({ subject }) => /message/.test(subject))).toHaveLength(3);
});

test('people with an unconfirmed address, or who turned mail off, get none', async () => {
  const unconfirmed = await app.user('una');
  const silent = await unconfirmed.publish();
  await submit(silent, { name: 'Ada' });
  expect(await readNotices(silent)).toEqual([]);
  const oscar = await owner('oscar');
  const page = await oscar.publish();
  const forms = `/api/pages/${page.id}/forms`;
  expect((await oscar.call('GET', forms)).body).toEqual({ forms: [], unread: 0, formNotices: true });
  const off = await oscar.call('PATCH', forms, { body: { formNotices: false } });
  expect([off.status, off.body]).toEqual([200, { formNotices: false }]);
  expect((await oscar.call('GET', forms)).body.formNotices).toBe(false);
  expect((await submit(page, { name: 'Ada' })).status).toBe(201);
  expect(await readNotices(page)).toEqual([]);
  await oscar.call('PATCH', forms, { body: { formNotices: true } });
  await submit(page, { name: 'Ben' });
  const mail = await smtp.nextMail(oscar.email, /message/);
  expect(mail.text).toContain('> name: Ben');
});

test('only people who can change a page can turn its mail off', async () => {
  const otis = await owner('otis');
  const page = await otis.publish();
  const path = `/api/pages/${page.id}/forms`;
  const stranger = await app.user('stranger');
  const body = { formNotices: false };
  expect((await stranger.call('PATCH', path, { body })).status).toBe(403);
  expect((await app.call('PATCH', path, { body })).status).toBe(401);
  expect((await otis.call('PATCH', path, { body: { formNotices: 'no' } })).status).toBe(400);
  expect((await otis.call('PATCH', path, { body: { ...body, other: 1 } })).status).toBe(400);
  expect((await otis.call('GET', path)).body.formNotices).toBe(true);
});

const share = (user: TestUser, page: { id: number }, people: string[]) =>
  user.call('PATCH', `/api/pages/${page.id}`, { body: { access: { mode: 'people', people } } });

test('somebody who is added by address gets the link once', async () => {
  const paula = await owner('paula');
  const page = await paula.publish({ name: 'Plans' });
  await share(paula, page, ['guest@elsewhere.example', 'olga']);
  const mail = await smtp.nextMail('guest@elsewhere.example');
  expect(mail.subject).toBe('paula shared “Plans” with you');
  expect(mail.links).toContain(page.url);
  // Those who were there before do not get another one.
  await share(paula, page, ['guest@elsewhere.example', 'second@elsewhere.example']);
  await smtp.nextMail('second@elsewhere.example');
  await share(paula, page, ['second@elsewhere.example']);
  const created = await paula.publish({
    name: 'New plans',
    access: { mode: 'people', people: ['third@elsewhere.example'] },
  });
  expect((await smtp.nextMail('third@elsewhere.example')).links).toContain(created.url);
  expect(smtp.mailsTo('guest@elsewhere.example')).toHaveLength(1);
  expect(smtp.mailsTo('second@elsewhere.example')).toHaveLength(1);
});

test('a draft is not announced, because nobody can open it', async () => {
  const petra = await owner('petra');
  const page = await petra.publish({ is_published: false });
  await share(petra, page, ['early@elsewhere.example']);
  expect(await readSql(app, `select id from mails where recipient = 'early@elsewhere.example'`)).toEqual([]);
});

test('one owner reaches fifty people in a day with shared pages, and not one more', async () => {
  const pia = await owner('pia');
  const pages = [await pia.publish(), await pia.publish()];
  const people = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `p${from + at}@many.example`);
  const queued = async () =>
    (await readSql(app, `select id from mails where recipient like '%@many.example'`)).length;
  await share(pia, pages[0] as { id: number }, people(0, 49));
  expect(await queued()).toBe(49);
  expect((await share(pia, pages[1] as { id: number }, people(49, 52))).status).toBe(200);
  expect(await queued()).toBe(50);
  await share(pia, pages[0] as { id: number }, people(52, 60));
  expect(await queued()).toBe(50);
  await runSql(app, `update mails set created_at = created_at - ${24 * 60 * MINUTE_MS}`);
  await share(pia, pages[0] as { id: number }, people(60, 61));
  expect(await queued()).toBe(51);
});

test('metrics and health show the mail', async () => {
  const { status, text } = await app
    .request('/metrics')
    .then(async (response) => ({ status: response.status, text: await response.text() }));
  expect(status).toBe(200);
  const metrics = readMetrics(text);
  expect(metrics.get('quire_mails_sent_total')).toBeGreaterThan(5);
  expect(metrics.get('quire_mails_failed_total')).toBe(0);
  expect(metrics.get('quire_mails_waiting')).toBeGreaterThanOrEqual(0);
  expect((await app.app.health()).external).toContain('mail server');
});

test('without a mail server nothing is queued, and forms work as before', async () => {
  const quiet = await testApp();
  try {
    const user = await quiet.user();
    await runSql(quiet, `update users set email_confirmed_at = 1 where id = ${user.id}`);
    const page = await user.publish({ access: { mode: 'people', people: ['a@b.example'] } });
    const open = await user.publish();
    const sent = await quiet.call('POST', `/api/pages/${open.id}/forms/contact`, { body: { a: 'b' } });
    expect([page.id > 0, sent.status]).toEqual([true, 201]);
    const { body } = await user.call('GET', `/api/pages/${open.id}/forms`);
    expect(body).not.toHaveProperty('formNotices');
    expect(await readSql(quiet, 'select id from mails')).toEqual([]);
    expect((await quiet.app.health()).external).not.toContain('mail server');
  } finally {
    await quiet.stop();
  }
});
