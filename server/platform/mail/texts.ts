import { look } from '../screens/index.ts';
import type { Block, MailText } from './layout.ts';
import type { FormMessages, MailMessage } from './messages.ts';
import { plain } from './plain.ts';

/** The text of every mail. */

type Kind = MailMessage['kind'];
type Message<K extends Kind> = MailMessage extends infer M ? (M extends { kind: K } ? M : never) : never;
/** Kinds that share a type share a shape too. */
type Texts = { [K in Kind]: (message: Extract<MailMessage, { kind: K }> | Message<K>) => MailText };

const MAX_NAME = 80;
const MAX_REASON = 1_000;
const MAX_VALUE = 500;

const name = (text: string) => plain(text, MAX_NAME);
const hello = (username: string): Block => ({ text: `Hello ${username},` });

let format: Intl.DateTimeFormat | undefined;
/** The format takes long to make, and most processes never need it. */
function moment(milliseconds: number): string {
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(milliseconds)} UTC`;
}

export const TEXTS: Texts = {
  'password reset': ({ username, link }) => ({
    subject: 'Set a new password',
    blocks: [
      hello(username),
      { text: 'Somebody asked for a new password for your account. If it was you, choose one here:' },
      { action: 'Set a new password', link },
      {
        text: 'The link works once, for one hour. If it was not you, ignore this mail: your password stays the same.',
      },
    ],
  }),

  'confirm address': ({ username, link }) => ({
    subject: 'Confirm your e-mail address',
    blocks: [
      hello(username),
      { text: 'Confirm that this address belongs to your account:' },
      { action: 'Confirm the address', link },
      {
        text: 'If you do not have an account here, ignore this mail. Nobody can confirm your address without this link.',
      },
    ],
  }),

  'registration invite': ({ invitedBy, note, link, expiresAt }) => ({
    subject: `${name(invitedBy)} invites you to ${name(look().name)}`,
    blocks: [
      {
        text: `${name(invitedBy)} invites you to create an account. With it, you can publish pages and functions.`,
      },
      ...(note ? [{ quote: [['Note', plain(note, MAX_REASON)]] } satisfies Block] : []),
      { action: 'Create an account', link },
      {
        text: `The invite expires on ${moment(expiresAt)}. If you do not know the sender, ignore this mail.`,
      },
    ],
  }),

  'page shared': ({ sharedBy, pageName, link }) => ({
    subject: `${name(sharedBy)} shared “${name(pageName)}” with you`,
    blocks: [
      { text: `${name(sharedBy)} shared the page “${name(pageName)}” with you.` },
      { action: 'Open the page', link },
      { text: 'To see it, log in with an account that has this address, or create one.' },
      { text: 'If you do not know the sender, ignore this mail.' },
    ],
  }),

  'form messages': formMessages,

  'new sign-in': ({ username, device, method, at, address, link }) => ({
    subject: 'New login to your account',
    blocks: [
      hello(username),
      { text: 'Somebody logged in to your account from a new place:' },
      facts({ Device: name(device), Method: method, 'IP address': address, Time: moment(at) }),
      { text: 'If it was you, do nothing. Otherwise, log that device out and change your password:' },
      { action: 'Check your sessions', link },
    ],
  }),

  'new token': ({ username, tokenName, scopes, at, address, link }) => ({
    subject: 'New token for your account',
    blocks: [
      hello(username),
      { text: 'Your account has a new token. Programs with this token can act as you:' },
      facts({ Token: name(tokenName), Scopes: scopes.join(', '), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, delete the token and change your password:' },
      { action: 'Check your tokens', link },
    ],
  }),

  'app connected': ({ username, appName, scopes, at, link }) => ({
    subject: 'An app was connected to your account',
    blocks: [
      hello(username),
      { text: 'An app can now use your account, within these scopes:' },
      facts({ App: name(appName), Scopes: scopes.join(', '), Time: moment(at) }),
      { text: 'If it was not you, disconnect the app and change your password:' },
      { action: 'Check your connected apps', link },
    ],
  }),

  'password changed': ({ username, at, address, link }) => ({
    subject: 'Your password has changed',
    blocks: [
      hello(username),
      { text: 'Your account has a new password.' },
      facts({ 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, set a new one now:' },
      { action: 'Set a new password', link },
    ],
  }),

  'email changed': ({ username, newEmail, at, address, link }) => ({
    subject: 'Your e-mail address has changed',
    blocks: [
      hello(username),
      { text: 'Your account has a new e-mail address. We no longer send mail to this one.' },
      facts({ 'New e-mail address': plain(newEmail, 254), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, log in, change it back, and choose a new password:' },
      { action: 'Check your account', link },
      { text: 'If you cannot log in, contact the people who run this service.' },
    ],
  }),

  'single sign-on connected': ({ username, provider, at, address, link }) => ({
    subject: `Your account is connected to ${name(provider)}`,
    blocks: [
      hello(username),
      { text: 'You can now log in with single sign-on:' },
      facts({ Provider: name(provider), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, disconnect it and change your password:' },
      { action: 'Check your account', link },
    ],
  }),

  'single sign-on disconnected': ({ username, provider, at, address, link }) => ({
    subject: `Your account is no longer connected to ${name(provider)}`,
    blocks: [
      hello(username),
      { text: 'You can no longer log in to your account with single sign-on:' },
      facts({ Provider: name(provider), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, change your password:' },
      { action: 'Check your account', link },
    ],
  }),

  'passkey added': ({ username, passkeyName, at, address, link }) => ({
    subject: 'A passkey was added to your account',
    blocks: [
      hello(username),
      { text: 'Your account has a new passkey. Anyone who has it can log in as you:' },
      facts({ Passkey: name(passkeyName), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, delete it and change your password:' },
      { action: 'Check your passkeys', link },
    ],
  }),

  'passkey removed': ({ username, passkeyName, at, address, link }) => ({
    subject: 'A passkey was removed from your account',
    blocks: [
      hello(username),
      { text: 'You can no longer log in to your account with this passkey:' },
      facts({ Passkey: name(passkeyName), 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, change your password:' },
      { action: 'Check your account', link },
    ],
  }),

  'second factor off': ({ username, at, address, link }) => ({
    subject: 'Your second factor was turned off',
    blocks: [
      hello(username),
      { text: 'Your password alone is now enough to log in.' },
      facts({ 'IP address': address, Time: moment(at) }),
      { text: 'If it was not you, change your password and turn the second factor on again:' },
      { action: 'Check your account', link },
    ],
  }),

  'account suspended': ({ username, reason }) => ({
    subject: 'Your account is suspended',
    blocks: [
      hello(username),
      {
        text: 'An administrator has suspended your account. You cannot log in, and your pages and functions are off.',
      },
      facts({ Reason: plain(reason, MAX_REASON) }),
      {
        text: 'Your data is kept. If you think that this is a mistake, contact the people who run this service.',
      },
    ],
  }),

  'account restored': ({ username, link }) => ({
    subject: 'Your account works again',
    blocks: [
      hello(username),
      { text: 'An administrator has restored your account. Your pages and functions are on again.' },
      { action: 'Log in', link },
    ],
  }),

  'page taken down': (message) => takenDown('page', message),
  'function taken down': (message) => takenDown('function', message),
  'page restored': (message) => restored('page', message),
  'function restored': (message) => restored('function', message),

  'deletion requested': ({ username, deletedAt, link }) => ({
    subject: 'Your account will be deleted',
    blocks: [
      hello(username),
      {
        text: `Your account and everything in it will be deleted on ${moment(deletedAt)}. Until then, nobody can use it.`,
      },
      { text: 'To keep it, log in before then:' },
      { action: 'Keep the account', link },
    ],
  }),

  'account deleted': ({ username }) => ({
    subject: 'Your account has been deleted',
    blocks: [
      hello(username),
      { text: 'Your account has been deleted, with its pages, data, files, functions and databases.' },
      { text: 'This is the last mail that we send you.' },
    ],
  }),

  test: () => ({
    subject: 'Mail works',
    blocks: [{ text: 'This is a test. If you can read it, this service can send mail to you.' }],
  }),
};

function formMessages({ pageName, count, messages, link }: FormMessages): MailText {
  const title = name(pageName);
  const shown = messages.map(({ form, fields, files }) => ({
    quote: [
      ['Form', form],
      ...fields.map(([field, value]) => [name(field), plain(value, MAX_VALUE)]),
      ...(files > 0 ? [['Files', String(files)]] : []),
    ] as Array<[string, string]>,
  }));
  const more = count - messages.length;
  return {
    subject: count === 1 ? `New message from “${title}”` : `${count} new messages from “${title}”`,
    blocks: [
      {
        text:
          count === 1
            ? `A visitor to your page “${title}” wrote:`
            : `Visitors to your page “${title}” wrote:`,
      },
      ...shown,
      ...(more > 0 ? [{ text: `And ${more} more.` }] : []),
      { text: 'Anyone can send a message with this form. Be as careful with it as with any other mail.' },
      { action: 'Open the messages', link },
      { text: 'You can turn off these mails on that screen.' },
    ],
  };
}

function takenDown(
  what: string,
  { name: title, reason, link }: { name: string; reason: string; link: string },
): MailText {
  return {
    subject: `Your ${what} “${name(title)}” was taken down`,
    blocks: [
      { text: `An administrator has taken down your ${what} “${name(title)}”. Nobody can use it now.` },
      facts({ Reason: plain(reason, MAX_REASON) }),
      { action: `See the ${what}`, link },
      { text: 'If you think that this is a mistake, contact the people who run this service.' },
    ],
  };
}

function restored(what: string, { name: title, link }: { name: string; link: string }): MailText {
  return {
    subject: `Your ${what} “${name(title)}” works again`,
    blocks: [
      { text: `An administrator has restored your ${what} “${name(title)}”.` },
      { action: `See the ${what}`, link },
    ],
  };
}

function facts(values: Record<string, string | undefined>): Block {
  return { facts: Object.entries(values).flatMap(([key, value]) => (value ? [[key, value]] : [])) };
}

/** The text of one message. */
export function wordsFor(message: MailMessage): MailText {
  // Each function takes the messages of its own kind, which the compiler cannot follow through the table.
  return (TEXTS[message.kind] as (of: MailMessage) => MailText)(message);
}
