import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';

let shell: Shell;
let smtp: TestSmtp;
beforeAll(async () => {
  shell = openShell();
  smtp = await startSmtp({ hasLogin: true });
});
afterAll(async () => {
  await shell.stop();
  await smtp.stop();
});

const settings = () => ({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'Quire <quire@example.com>' });
const mailCheck = async (env: Record<string, string>) => {
  const { checks } = (await shell.run(['doctor', '--json'], { env })).json();
  return checks.find(({ name }: { name: string }) => name === 'mail');
};

test('quire mail test sends a mail and says what became of it', async () => {
  const sent = await shell.run(['mail', 'test', 'Ann@Example.com'], { env: settings() });
  expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining('accepted the mail')]);
  expect((await smtp.nextMail('ann@example.com')).subject).toBe('Mail works');
  smtp.behave('refuse');
  const refused = await shell.run(['mail', 'test', 'ann@example.com'], { env: settings() });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('550 No such person')]);
  smtp.behave('refuse login');
  const stranger = await shell.run(['mail', 'test', 'ann@example.com'], { env: settings() });
  expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('535')]);
  smtp.behave('accept');
  const wrong = await shell.run(['mail', 'test', 'ann'], { env: settings() });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('ann is not an e-mail address')]);
  const none = await shell.run(['mail', 'test', 'ann@example.com']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('QUIRE_SMTP_URL')]);
});

test('quire doctor logs in to the mail server and sends nothing', async () => {
  const before = smtp.mails.length;
  expect(await mailCheck(settings())).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ responds with TLS, and accepts the login$/),
  });
  smtp.behave('refuse login');
  const refused = await mailCheck(settings());
  expect(refused).toMatchObject({ status: 'fail', message: expect.stringContaining('535') });
  expect(JSON.stringify(refused)).not.toContain(new URL(smtp.url).password);
  smtp.behave('accept');
  expect(smtp.mails).toHaveLength(before);
  expect(await mailCheck({ QUIRE_SMTP_URL: 'smtp://127.0.0.1:1' })).toMatchObject({ status: 'fail' });
  expect(await mailCheck({})).toBeUndefined();
});
