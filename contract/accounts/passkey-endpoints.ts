import { endpoint, endpoints } from '../endpoint.ts';
import { Done, idParams } from '../fields.ts';
import {
  CredentialOptions,
  NewPasskey,
  Passkey,
  PasskeyList,
  PasskeyLoggedIn,
  PasskeyLogin,
  PasskeyLoginStart,
  PasskeyName,
  RecoveryCodes,
  Reproof,
} from './passkeys.ts';

/** What changes of the second factor have in common. */
const SECOND_FACTOR = {
  failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
  access: { kind: 'account' },
  body: Reproof,
  bodyOptional: true,
} as const;

export const passkeyEndpoints = endpoints({
  startPasskey: endpoint({
    method: 'POST',
    path: '/api/auth/passkeys/options',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
    answers: [
      { status: 200, description: 'A cookie ties the challenge to the browser.', headers: ['Set-Cookie'] },
    ],
    access: { kind: 'account' },
    summary: 'Get the options for a new passkey, with your password or soon after a login',
    body: Reproof,
    bodyOptional: true,
    response: CredentialOptions,
  }),
  addPasskey: endpoint({
    method: 'POST',
    path: '/api/auth/passkeys',
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: { kind: 'account' },
    summary: 'Add the passkey that a browser made with these options',
    body: NewPasskey,
    status: 201,
    response: Passkey,
  }),
  listPasskeys: endpoint({
    method: 'GET',
    path: '/api/auth/passkeys',
    access: { kind: 'account' },
    summary: 'List your passkeys, and whether one is required after your password',
    response: PasskeyList,
  }),
  renamePasskey: endpoint({
    method: 'PATCH',
    path: '/api/auth/passkeys/:id',
    access: { kind: 'account' },
    summary: 'Rename one of your passkeys',
    params: idParams,
    body: PasskeyName,
    response: Passkey,
  }),
  removePasskey: endpoint({
    method: 'POST',
    path: '/api/auth/passkeys/:id/remove',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
    access: { kind: 'account' },
    summary: 'Remove one of your passkeys; without the last one, your password is enough again',
    params: idParams,
    body: Reproof,
    bodyOptional: true,
    response: Done,
  }),
  turnOnSecondFactor: endpoint({
    ...SECOND_FACTOR,
    method: 'POST',
    path: '/api/auth/second-factor',
    summary: 'Turn on the second factor: a passkey after your password; returns recovery codes',
    response: RecoveryCodes,
  }),
  turnOffSecondFactor: endpoint({
    ...SECOND_FACTOR,
    method: 'POST',
    path: '/api/auth/second-factor/off',
    summary: 'Turn off the second factor: your password alone is enough to log in',
    response: Done,
  }),
  replaceRecoveryCodes: endpoint({
    ...SECOND_FACTOR,
    method: 'POST',
    path: '/api/auth/recovery-codes',
    summary: 'Get new recovery codes; the old ones stop working',
    response: RecoveryCodes,
  }),
  startPasskeyLogin: endpoint({
    method: 'POST',
    path: '/api/auth/passkey-login/options',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    answers: [
      { status: 200, description: 'A cookie ties the challenge to the browser.', headers: ['Set-Cookie'] },
    ],
    access: { kind: 'account door' },
    summary: 'Get the options for a login with a passkey',
    body: PasskeyLoginStart,
    bodyOptional: true,
    response: CredentialOptions,
  }),
  logInWithPasskey: endpoint({
    method: 'POST',
    path: '/api/auth/passkey-login',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    answers: [{ status: 200, description: 'The session cookie comes with it.', headers: ['Set-Cookie'] }],
    access: { kind: 'account door' },
    summary: 'Log in with a passkey: sets the session cookie',
    body: PasskeyLogin,
    response: PasskeyLoggedIn,
  }),
});
