import { afterAll, beforeAll, expect, test } from 'bun:test';
import { administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, testApp } from '../../support/app.ts';

/** What the login screen says in German when somebody cannot log in. */

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_LOGIN_FAILURES_PER_USERNAME: '1' });
});
afterAll(() => quire.stop());

async function logIn(username: string, password: string, language = 'de') {
  const response = await quire.request('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
    body: new URLSearchParams({ username, password }).toString(),
  });
  return { status: response.status, text: await response.text() };
}

test('a suspended account, with the reason as the administrator wrote it', async () => {
  const boss = await administrator(quire, 'boss');
  const user = await quire.user('sam');
  await boss.admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: 'Spam <b>' });
  const { status, text } = await logIn('sam', user.password);
  expect(status).toBe(403);
  expect(text).toContain(
    'Dieses Konto ist gesperrt. Frage die Verwaltung dieses Servers. Grund: Spam &lt;b&gt;',
  );
  expect((await logIn('sam', user.password, 'en')).text).toContain('This account is suspended.');
});

test('too many wrong passwords, with the time to wait', async () => {
  await logIn('nobody-here', 'a wrong password');
  const { status, text } = await logIn('nobody-here', 'a wrong password');
  expect(status).toBe(429);
  expect(text).toMatch(
    /Zu viele Fehlversuche für diesen Benutzernamen\. Versuche es in \d+ Minuten erneut\./,
  );
  expect((await logIn('nobody-here', 'a wrong password', 'en')).text).toMatch(
    /Too many failed attempts for this username\. Try again in \d+ minutes\./,
  );
});
