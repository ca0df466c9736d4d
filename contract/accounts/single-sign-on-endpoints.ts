import { endpoint, endpoints } from '../endpoint.ts';
import { Done } from '../fields.ts';
import { Reproof } from './passkeys.ts';
import { SingleSignOnStart, SingleSignOnState } from './single-sign-on.ts';

const PATH = '/api/auth/single-sign-on';

export const singleSignOnEndpoints = endpoints({
  getSingleSignOn: endpoint({
    method: 'GET',
    path: PATH,
    access: { kind: 'account' },
    summary: 'Whether your account is connected to the single sign-on provider',
    response: SingleSignOnState,
  }),
  connectSingleSignOn: endpoint({
    method: 'POST',
    path: PATH,
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'NOT_FOUND', 'UNAVAILABLE'],
    answers: [{ status: 200, description: 'The browser continues at the URL.', headers: ['Set-Cookie'] }],
    access: { kind: 'account' },
    summary: 'Start to connect your account to the single sign-on provider',
    body: Reproof,
    response: SingleSignOnStart,
  }),
  disconnectSingleSignOn: endpoint({
    method: 'POST',
    path: `${PATH}/disconnect`,
    failures: ['INVALID_CREDENTIALS', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND'],
    access: { kind: 'account' },
    summary: 'Disconnect your account from the single sign-on provider',
    body: Reproof,
    bodyOptional: true,
    response: Done,
  }),
});
