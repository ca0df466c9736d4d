import { expect, test } from 'bun:test';
import { renderMail } from '../layout.ts';
import type { MailMessage } from '../messages.ts';
import { plain } from '../plain.ts';
import { TEXTS, wordsFor } from './texts.ts';

const HOSTILE = '<script>alert(1)</script>\r\nBcc: a@evil.example https://evil.example www.evil.example';
const LINK = 'https://quire.test/go?a=1&b=%22';

/** Every field that some kind has, with the worst text for those that people write. */
const FIELDS = {
  ...{ username: 'ann', link: LINK, at: 0, address: '203.0.113.7', expiresAt: 0, deletedAt: 0, count: 5 },
  ...{
    invitedBy: HOSTILE,
    note: HOSTILE,
    sharedBy: HOSTILE,
    pageName: HOSTILE,
    branchName: HOSTILE,
    device: HOSTILE,
    method: 'password',
  },
  ...{ tokenName: HOSTILE, appName: HOSTILE, newEmail: HOSTILE, passkeyName: HOSTILE, provider: HOSTILE },
  ...{
    role: 'member',
    reason: HOSTILE,
    problem: HOSTILE,
    nextAt: 0,
    name: HOSTILE,
    scopes: ['pages:read', 'data:write'],
    ...{ percent: 80, bytes: 8_000_000, quota: 10_000_000 },
  },
  messages: [{ form: 'contact', fields: [[HOSTILE, HOSTILE]], files: 2 }],
};

/** What a function writes to its owner and their team goes out as it is. */
const OURS = Object.keys(TEXTS).filter((kind) => kind !== 'function mail');

test.each(OURS)('%s shows what people wrote as text, without links or markup', (kind) => {
  const message = { kind, ...FIELDS } as unknown as MailMessage;
  const { subject, text, html } = renderMail(wordsFor(message), { baseUrl: 'https://quire.test' });
  expect(subject.length).toBeGreaterThan(5);
  expect(`${subject}${text}${html}`).not.toContain('undefined');
  expect(subject).not.toMatch(/[\r\n]/);
  expect(html).not.toContain('<script');
  for (const linked of ['a@evil', 'evil.example', 'https://evil'])
    expect(`${subject}${text}${html}`).not.toContain(linked);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
  expect(new Set(links)).toEqual(new Set(links.length > 0 ? [LINK.replace('&', '&amp;')] : []));
  // The plain text has the same links.
  expect(text.includes(LINK)).toBe(links.length > 0);
  expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
});

test('a mail of a function has its text and its HTML, and says which page it comes from', () => {
  const message = { kind: 'function mail', pageName: HOSTILE, subject: 'Digest', text: 'a\n<b>' } as const;
  const plainly = renderMail(wordsFor(message), { baseUrl: 'https://quire.test' });
  expect(plainly.text).toStartWith('a\n<b>\n\nA function of the page “');
  expect(plainly.html).toContain('a\n&lt;b&gt;');
  const styled = renderMail(wordsFor({ ...message, html: '<b>x</b>' }), { baseUrl: 'https://quire.test' });
  // A comment that does not end, for example, would hide what comes after it.
  expect(styled.html).toStartWith('<p>A function of the page “');
  expect(styled.html).toEndWith('</p>\n<hr>\n<b>x</b>\n');
  for (const { html } of [plainly, styled]) expect(html).not.toContain('<script');
});

test.each([
  ['Version 3.5 costs 1,000.00.', 'Version 3.\u200b5 costs 1,000.\u200b00.'],
  ['Wait... what? e.g. this.', 'Wait... what? e.\u200bg. this.'],
  ['Ada Lovelace', 'Ada Lovelace'],
  ['a@b.example', 'a@\u200bb.\u200bexample'],
])('%s stays as it reads', (text, expected) => {
  expect(plain(text, 100)).toBe(expected);
});

test('long text is cut at the limit', () => {
  expect(plain('x'.repeat(80), 80)).toBe('x'.repeat(80));
  expect(plain('x'.repeat(81), 80)).toBe(`${'x'.repeat(79)}…`);
  expect(plain('😀'.repeat(1_000_000), 80)).toBe(`${'😀'.repeat(79)}…`);
});
