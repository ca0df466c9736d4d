import { endpoint, endpoints } from '../endpoint.ts';
import { Done } from '../fields.ts';
import { PasswordChange } from './accounts.ts';
import { Activity, Home, VisitorsNow } from './home/home.ts';
import { StorageReport } from './home/storage.ts';
import {
  Account,
  AddressConfirmation,
  EmailChange,
  EmailChanged,
  ForgottenPassword,
  PasswordReset,
  UsernameChange,
} from './own-account.ts';

export const accountEndpoints = endpoints({
  getAccount: endpoint({
    method: 'GET',
    path: '/api/auth/account',
    access: { kind: 'account' },
    summary: 'Your account: your username and address, and how you log in',
    response: Account,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/auth/password',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    access: { kind: 'account' },
    summary: 'Change your password; ends your other sessions and logins, with the tokens they made',
    body: PasswordChange,
    response: Done,
  }),
  changeUsername: endpoint({
    method: 'POST',
    path: '/api/auth/username',
    failures: ['CONFLICT', 'INVALID_CREDENTIALS', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
    access: { kind: 'account' },
    summary: 'Change your username; the old one stays reserved for you for a year',
    body: UsernameChange,
    response: Done,
  }),
  changeEmail: endpoint({
    method: 'POST',
    path: '/api/auth/email',
    failures: ['CONFLICT', 'INVALID_CREDENTIALS', 'FORBIDDEN'],
    access: { kind: 'account' },
    summary: 'Change your e-mail address; it changes when you open the link that is sent there',
    body: EmailChange,
    response: EmailChanged,
  }),
  sendConfirmation: endpoint({
    method: 'POST',
    path: '/api/auth/email/confirmation',
    failures: ['CONFLICT', 'NOT_INSTALLED'],
    access: { kind: 'account' },
    summary: 'Send yourself a link that confirms your e-mail address',
    response: Done,
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/api/auth/email/confirm',
    failures: ['NOT_FOUND', 'CONFLICT'],
    access: { kind: 'public' },
    summary: 'Confirm an e-mail address with the code of its link',
    body: AddressConfirmation,
    response: Done,
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/auth/forgot',
    failures: ['UNAVAILABLE'],
    access: { kind: 'public' },
    summary:
      'Get a link by mail to set a new password, or tell the administrators if the server does not send mail; the answer is the same if there is no such account',
    body: ForgottenPassword,
    response: Done,
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/auth/reset',
    failures: ['NOT_FOUND'],
    access: { kind: 'public' },
    summary: 'Set a new password with the code of a link; ends all sessions, tokens and connected apps',
    body: PasswordReset,
    response: Done,
  }),
  getHome: endpoint({
    method: 'GET',
    path: '/api/home',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'What happened in the last day on your pages and in your functions, and what is not published',
    response: Home,
  }),
  getStorage: endpoint({
    method: 'GET',
    path: '/api/storage',
    failures: ['UNAVAILABLE'],
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'What uses your storage and your credits, by page and function, and where to delete it',
    response: StorageReport,
  }),
  getActivity: endpoint({
    method: 'GET',
    path: '/api/home/activity',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Views of your pages and calls of your functions, day by day',
    response: Activity,
  }),
  getVisitorsNow: endpoint({
    method: 'GET',
    path: '/api/home/visitors',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Who is on your pages now: who came in the last five minutes, or has a live connection',
    response: VisitorsNow,
  }),
});
