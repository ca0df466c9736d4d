import { endpoint, endpoints } from '../endpoint.ts';
import { idParams } from '../fields.ts';
import { ACCOUNT_SCOPE } from '../scopes.ts';
import {
  PersonalToken,
  PersonalTokenList,
  PersonalTokenRequest,
  RefreshRequest,
  Registered,
  Registration,
  TokenPair,
  TokenRequest,
} from './accounts.ts';

export const tokenEndpoints = endpoints({
  register: endpoint({
    method: 'POST',
    path: '/api/auth/register',
    failures: ['CONFLICT', 'FORBIDDEN'],
    access: { kind: 'public' },
    stores: true,
    summary: 'Create an account and get a token for it',
    body: Registration,
    status: 201,
    response: Registered,
  }),
  createToken: endpoint({
    method: 'POST',
    path: '/api/auth/token',
    failures: ['INVALID_CREDENTIALS'],
    access: { kind: 'public' },
    summary: 'Get a bearer token for a username or an e-mail address, and the password',
    body: TokenRequest,
    acceptsForm: true,
    formLists: ['scopes'],
    response: TokenPair,
  }),
  refreshToken: endpoint({
    method: 'POST',
    path: '/api/auth/token/refresh',
    failures: ['INVALID_TOKEN'],
    access: { kind: 'public' },
    summary: 'Exchange a refresh token for a new pair',
    body: RefreshRequest,
    acceptsForm: true,
    response: TokenPair,
  }),
  createPersonalToken: endpoint({
    method: 'POST',
    path: '/api/auth/tokens',
    failures: ['QUOTA_EXCEEDED'],
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'Make a personal token; it is shown only once, and ends with the login that makes it',
    body: PersonalTokenRequest,
    status: 201,
    response: PersonalToken,
  }),
  listPersonalTokens: endpoint({
    method: 'GET',
    path: '/api/auth/tokens',
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'List your personal tokens',
    response: PersonalTokenList,
  }),
  deletePersonalToken: endpoint({
    method: 'DELETE',
    path: '/api/auth/tokens/:id',
    access: { kind: 'management', scope: ACCOUNT_SCOPE },
    summary: 'Revoke a personal token',
    params: idParams,
    status: 204,
  }),
});
