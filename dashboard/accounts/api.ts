import type {
  ListedToken,
  NewPersonalToken,
  PasswordChange,
  Session,
} from '../../contract/accounts/accounts.ts';
import type { EmailChange, UsernameChange } from '../../contract/accounts/own-account.ts';
import { accountEndpoints } from '../../contract/accounts/own-account-endpoints.ts';
import type { Reproof } from '../../contract/accounts/passkeys.ts';
import { sessionEndpoints } from '../../contract/accounts/session-endpoints.ts';
import { singleSignOnEndpoints } from '../../contract/accounts/single-sign-on-endpoints.ts';
import { tokenEndpoints } from '../../contract/accounts/token-endpoints.ts';
import type { Consent } from '../../contract/credits/credits.ts';
import { creditEndpoints } from '../../contract/credits/endpoints.ts';
import type { ConnectedApp } from '../../contract/oauth/connected-apps.ts';
import { oauthEndpoints } from '../../contract/oauth/endpoints.ts';
import { call } from '../api.ts';

/** The endpoints of the account screens. */

export type { ConnectedApp, Consent, ListedToken, Session };

export const listTokens = async () => (await call(tokenEndpoints.listPersonalTokens)).tokens;

export const createToken = (body: NewPersonalToken) => call(tokenEndpoints.createPersonalToken, { body });

export const revokeToken = (id: number) => call(tokenEndpoints.deletePersonalToken, { params: { id } });

export const listApps = async () => (await call(oauthEndpoints.listConnectedApps)).apps;

export const disconnectApp = (id: number) => call(oauthEndpoints.disconnectApp, { params: { id } });

export const listSessions = async () => (await call(sessionEndpoints.listSessions)).sessions;

export const endSession = (id: number) => call(sessionEndpoints.deleteSession, { params: { id } });

export const endOtherSessions = () => call(sessionEndpoints.deleteOtherSessions);

export const renameSession = (id: number, name: string) =>
  call(sessionEndpoints.renameSession, { params: { id }, body: { name } });

export const readAccount = () => call(accountEndpoints.getAccount);

export const changeUsername = (body: UsernameChange) => call(accountEndpoints.changeUsername, { body });

export const changeEmail = (body: EmailChange) => call(accountEndpoints.changeEmail, { body });

export const sendConfirmation = () => call(accountEndpoints.sendConfirmation);

export const changePassword = (body: PasswordChange) => call(accountEndpoints.changePassword, { body });

export const readSingleSignOn = () => call(singleSignOnEndpoints.getSingleSignOn);

export const connectSingleSignOn = (body: Reproof) =>
  call(singleSignOnEndpoints.connectSingleSignOn, { body });

export const disconnectSingleSignOn = (body: Reproof) =>
  call(singleSignOnEndpoints.disconnectSingleSignOn, { body });

export const readCredits = () => call(creditEndpoints.getCredits);

export const listHistory = (offset: number) =>
  call(creditEndpoints.listCreditHistory, { query: { limit: 25, offset } });

export const withdrawConsent = (pageId: number) =>
  call(creditEndpoints.withdrawConsent, { params: { pageId } });
