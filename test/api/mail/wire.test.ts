import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail, MailMessage } from '../../../server/platform/mail/index.ts';
import { connectionOptions } from '../../../server/platform/mail/smtp.ts';
import { startQueue, type TestQueue } from '../../support/mail/queue.ts';
import { SMTP_PASSWORD, startSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** What really goes to the mail server. */

let queue: TestQueue;
let node: Mail;
beforeAll(async () => {
  queue = await startQueue();
  node = await queue.node();
  node.start();
});
afterAll(() => queue.stop());

const LINK = 'https://quire.test/x?a=1&b="<>';
let people = 0;

async function receive(message: MailMessage, from: Mail = node, smtp = queue.smtp) {
  const to = `person${++people}@example.com`;
  await queue.send(from, { to, message });
  return { to, mail: await smtp.nextMail(to) };
}

/** The header of a mail, with its continuation lines joined. */
function parseHeaders(raw: string): Map<string, string[]> {
  const [head = ''] = raw.split('\r\n\r\n');
  const headers = new Map<string, string[]>();
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name = '', value = ''] = /^([^:\s]+):\s?(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return headers;
}

describe('text of strangers in the header', () => {
  const texts = {
    'line breaks': 'Fun\r\nBcc: victim@evil.example\r\nTo: victim@evil.example\r\n\r\nBody',
    'a lone line feed': 'Fun\nBcc: victim@evil.example',
    'a lone carriage return': 'Fun\rBcc: victim@evil.example',
    'Unicode line separators': 'Fun\u2028Bcc: victim@evil.example\u2029\u0085To: victim@evil.example',
    'vertical tabs, NUL and escapes': 'Fun\u000bBcc: victim@evil.example\u0000\u001b[2J\u007f',
    'encoded words': '=?utf-8?Q?Fun=0D=0ABcc:_victim@evil.example?=',
    addresses: '"victim" <victim@evil.example>, <other@evil.example>; group: a@evil.example;',
    'quotes and comments': `" \\" (comment) <a@evil.example> ' , ;`,
    'very long text': `${'Fun '.repeat(5_000)}\r\nBcc: victim@evil.example`,
    'other scripts, emoji and direction marks': '日本語 \u202ebackwards\u202c 👩‍👩‍👧 ة',
    'lone surrogates': 'Fun \ud800 \udfff end',
    'nothing that is seen': '\u200b\u00ad\ufeff',
    dots: '\r\n.\r\nMAIL FROM:<evil@evil.example>\r\nRCPT TO:<victim@evil.example>\r\n',
  };
  test.each(Object.entries(texts))('%s', async (_, text) => {
    const { to, mail } = await receive({ kind: 'page shared', sharedBy: text, pageName: text, link: LINK });
    const headers = parseHeaders(mail.raw);
    expect(headers.get('to')).toEqual([to]);
    for (const name of ['to', 'from', 'subject', 'message-id', 'date'])
      expect(headers.get(name)).toHaveLength(1);
    for (const name of ['bcc', 'cc', 'reply-to', 'sender']) expect(headers.has(name)).toBe(false);
    expect([...headers.keys()].sort()).toEqual(
      [
        ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
        'x-auto-response-suppress',
      ].sort(),
    );
    expect(mail.parsed.from?.address).toBe('quire@example.com');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not get through
    expect(mail.subject).not.toMatch(/[\u0000-\u001f\u007f\u0085\u2028\u2029\u202e]/);
    expect([...mail.subject].length).toBeLessThan(200);
    expect(Math.max(...mail.raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(queue.smtp.mails.filter((each) => each.to.endsWith('evil.example'))).toEqual([]);
    expect(mail.html).toContain('href="https://quire.test/x?a=1&amp;b=&quot;&lt;&gt;"');
  });
});

test('a row with a recipient that is not an address is given up', async () => {
  for (const recipient of [
    'a@b.example\r\nRCPT TO:<c@d.example>',
    'a@b.example, c@d.example',
    '<a@b.example>',
  ]) {
    const { id } = await queue.db
      .insertInto('mails')
      .values({
        ...{
          recipient,
          mailbox: recipient,
          user_id: null,
          kind: 'test',
          bundle: null,
          content: '{"kind":"test"}',
        },
        ...{ created_at: queue.now(), expires_at: queue.now() + 60_000, due_at: queue.now() },
        ...{ attempts: 0, sent_at: null, last_error: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await receive({ kind: 'test' });
    const find = () => queue.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
    await waitUntil(async () => (await find())?.due_at === null);
    expect(await find()).toMatchObject({ content: null, sent_at: null });
  }
  expect(queue.smtp.mails.filter(({ to }) => /[bd]\.example/.test(to))).toEqual([]);
});

test('has text and HTML, and says that a program wrote it', async () => {
  const { mail } = await receive({ kind: 'confirm address', username: 'ann', link: 'https://quire.test/c' });
  const headers = parseHeaders(mail.raw);
  expect(headers.get('content-type')?.[0]).toStartWith('multipart/alternative');
  expect(headers.get('auto-submitted')).toEqual(['auto-generated']);
  expect(mail.text).toStartWith('Hello ann,\n');
  expect(mail.html).not.toMatch(/<(img|script|link|iframe)|url\(|@import/);
});

describe('connections', () => {
  test('log in, with STARTTLS if the server offers it', async () => {
    const smtp = await startSmtp({ hasLogin: true });
    try {
      const from = await queue.node({
        smtpUrl: smtp.url,
        from: '"Quire, the service" <no-reply@quire.test>',
      });
      from.start();
      await node.stop();
      const { mail } = await receive({ kind: 'test' }, from, smtp);
      expect(mail.isEncrypted).toBe(true);
      expect(mail.parsed.from).toMatchObject({ name: 'Quire, the service', address: 'no-reply@quire.test' });
      expect(mail.messageId).toEndWith('@quire.test>');
      smtp.behave('refuse login');
      const to = 'later@example.com';
      await queue.send(from, { to, message: { kind: 'test' } });
      const find = () =>
        queue.db.selectFrom('mails').selectAll().where('recipient', '=', to).executeTakeFirst();
      // The operator corrects the password; the mail waits for that.
      await waitUntil(async () => (await find())?.last_error != null);
      expect((await find())?.content).toBe('{"kind":"test"}');
      smtp.behave('accept');
      queue.advance(18_000);
      await smtp.nextMail(to);
      await from.stop();
      expect(queue.logs.join('')).not.toContain(encodeURIComponent(SMTP_PASSWORD));
      expect(queue.logs.join('')).not.toContain(SMTP_PASSWORD);
    } finally {
      await smtp.stop();
    }
  });

  test.each([
    ['TLS from the start', { secure: true }, true],
    ['no TLS, on this machine', { hideSTARTTLS: true }, false],
  ])('%s', async (_, options, isEncrypted) => {
    const smtp = await startSmtp(options);
    try {
      const from = await queue.node({ smtpUrl: smtp.url });
      from.start();
      const { mail } = await receive({ kind: 'test' }, from, smtp);
      expect(mail.isEncrypted).toBe(isEncrypted);
      await from.stop();
    } finally {
      await smtp.stop();
    }
  });

  test.each([
    ['offers no TLS, or had the offer removed on the way', { hideSTARTTLS: true }, 'smtp://mail.example.com'],
    ['has a certificate that nobody has signed', {}, 'smtp://mail.example.com'],
    ['has such a certificate from the start', { secure: true }, 'smtps://mail.example.com'],
  ])('on the internet, a server that %s gets neither password nor mail', async (_, options, url) => {
    const smtp = await startSmtp({ ...options, hasLogin: true });
    try {
      const { hostname: host, port } = new URL(smtp.url);
      const connection = new SMTPConnection({ ...connectionOptions(url), host, port });
      const error = await new Promise<Error | undefined>((resolve) => {
        connection.on('error', resolve);
        connection.connect(resolve);
      });
      expect((error as NodeJS.ErrnoException | undefined)?.code).toMatch(/^(ETLS|ESOCKET)$/);
      connection.close();
    } finally {
      await smtp.stop();
    }
  });
});
