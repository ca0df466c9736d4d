import { expect, test } from 'bun:test';
import { createFiller } from './fill.ts';
import { GERMAN_MESSAGES } from './german-messages.ts';
import { createMessageReader } from './messages.ts';

const read = createMessageReader(GERMAN_MESSAGES, createFiller('de'));

test.each([
  ['This page was not found.', 'Diese Seite wurde nicht gefunden.'],
  [
    'This account is suspended. Ask an administrator of this server. Reason: Spam. {reason}\n$& $1',
    'Dieses Konto ist gesperrt. Frage die Verwaltung dieses Servers. Grund: Spam. {reason}\n$& $1',
  ],
  [
    'The page is at version 1,234, not 7: someone changed it. Read it again, then save.',
    'Die Seite hat die Version 1.234, nicht 7: Jemand hat sie geändert. Lies sie noch einmal, dann speichere.',
  ],
  [
    'Too many failed attempts from your address. Try again in 15 minutes.',
    'Zu viele Fehlversuche von deiner Adresse. Versuche es in 15 Minuten erneut.',
  ],
  [
    'Too many failed attempts from your address. Try again in 1 second.',
    'Zu viele Fehlversuche von deiner Adresse. Versuche es in einer Sekunde erneut.',
  ],
  ['The slug a-b is taken by another page. Choose another.', /^Der Kurzname a-b gehört/],
])('%s has a translation', (message, expected) => {
  if (typeof expected === 'string') expect(read(message)).toBe(expected);
  else expect(read(message)).toMatch(expected);
});

test.each([
  'Something that nobody has translated.',
  // A sentence that is half German is worse than one in English.
  'Something that nobody has translated. Try again in 15 minutes.',
  'The slug is taken by another page. Choose another.',
  'constructor',
  'toString Try again in 5 minutes.',
  '',
])('%j has none', (message) => {
  expect(read(message)).toBeUndefined();
});
