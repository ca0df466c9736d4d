import { look } from '../../service-settings/index.ts';
import type { Block, MailText } from '../layout.ts';
import type { MailMessage } from '../messages.ts';
import { CONTENT_TEXTS } from './content.ts';
import { facts, hello, moment, name, reasonText, size, type Texts } from './parts.ts';
import { SECURITY_TEXTS } from './security.ts';

/** The text of every mail. */
export const TEXTS: Texts = {
  ...SECURITY_TEXTS,
  ...CONTENT_TEXTS,

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
      ...(note ? [{ quote: [['Note', reasonText(note)]] } satisfies Block] : []),
      { action: 'Create an account', link },
      {
        text: `The invite expires on ${moment(expiresAt)}. If you do not know the sender, ignore this mail.`,
      },
    ],
  }),

  'backup failed': ({ at, problem, nextAt, link }) => ({
    subject: `${name(look().name)}: the backup failed`,
    blocks: [
      { text: `The scheduled backup of ${moment(at)} failed. Earlier backups are still there.` },
      facts({ Reason: reasonText(problem), 'Next try': moment(nextAt) }),
      { action: 'See the backups', link },
      { text: 'You get no further mail until a backup has succeeded.' },
    ],
  }),

  'storage almost full': ({ username, percent, bytes, quota, link }) => ({
    subject: `${percent} % of your storage is used`,
    blocks: [
      hello(username),
      {
        text: `Your pages, functions and data at ${name(look().name)} use ${size(bytes)} of ${size(quota)}. When nothing is left, nothing new can be stored.`,
      },
      { action: 'See what uses it', link },
      {
        text: 'The screen shows what is largest, and where to delete it. An administrator can give you more.',
      },
    ],
  }),

  'account suspended': ({ username, reason }) => ({
    subject: 'Your account is suspended',
    blocks: [
      hello(username),
      {
        text: 'An administrator has suspended your account. You cannot log in, and your pages and functions are off.',
      },
      facts({ Reason: reasonText(reason) }),
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

/** The text of one message. */
export function wordsFor(message: MailMessage): MailText {
  // Each function takes the messages of its own kind, which the compiler cannot follow through the table.
  return (TEXTS[message.kind] as (of: MailMessage) => MailText)(message);
}
