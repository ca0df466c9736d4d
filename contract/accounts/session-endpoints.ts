import { endpoint, endpoints } from '../endpoint.ts';
import { Done, idParams } from '../fields.ts';
import { Credentials, LoggedIn, SessionList, SessionToken, WhoAmI } from './accounts.ts';
import { SessionChange } from './own-account.ts';

export const sessionEndpoints = endpoints({
  logIn: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    answers: [{ status: 200, description: 'The session cookie comes with it.', headers: ['Set-Cookie'] }],
    access: { kind: 'account door' },
    summary: 'Log in: sets the session cookie',
    body: Credentials,
    response: LoggedIn,
  }),
  logOut: endpoint({
    method: 'POST',
    path: '/api/auth/logout',
    answers: [{ status: 200, description: 'The session cookie is cleared.', headers: ['Set-Cookie'] }],
    access: { kind: 'account door' },
    summary: 'Log out: ends the session',
    response: Done,
  }),
  getMe: endpoint({
    method: 'GET',
    path: '/api/auth/me',
    access: { kind: 'owner' },
    summary: 'Who you are, your credits, and what your token can do',
    response: WhoAmI,
  }),
  listSessions: endpoint({
    method: 'GET',
    path: '/api/auth/sessions',
    access: { kind: 'account' },
    summary: 'List where you are logged in',
    response: SessionList,
  }),
  renameSession: endpoint({
    method: 'PATCH',
    path: '/api/auth/sessions/:id',
    access: { kind: 'account' },
    summary: 'Name the device of one of your sessions',
    params: idParams,
    body: SessionChange,
    status: 204,
  }),
  deleteOtherSessions: endpoint({
    method: 'DELETE',
    path: '/api/auth/sessions',
    access: { kind: 'account' },
    summary: 'End all your sessions but this one',
    status: 204,
  }),
  deleteSession: endpoint({
    method: 'DELETE',
    path: '/api/auth/sessions/:id',
    access: { kind: 'account' },
    summary: 'End one of your sessions',
    params: idParams,
    status: 204,
  }),
  createSessionToken: endpoint({
    method: 'POST',
    path: '/api/auth/session-token',
    access: { kind: 'account' },
    summary: 'A bearer token of ten minutes for the dashboard',
    response: SessionToken,
  }),
});
