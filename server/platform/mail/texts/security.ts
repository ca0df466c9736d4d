import { plain } from '../plain.ts';
import { facts, hello, moment, name, type Texts } from './parts.ts';

/** Notices to users when somebody logs in to their account, or when the ways to log in change. */
export const SECURITY_TEXTS = {
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
} satisfies Partial<Texts>;
