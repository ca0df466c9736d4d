import type {
  ListedToken,
  NewPersonalToken,
  PasswordChange,
  PersonalToken,
  PersonalTokenList,
  Session,
  SessionList,
} from '../../contract/accounts/accounts.ts';
import type {
  Account,
  EmailChange,
  EmailChanged,
  UsernameChange,
} from '../../contract/accounts/own-account.ts';
import type { Reproof } from '../../contract/accounts/passkeys.ts';
import type { SingleSignOnStart, SingleSignOnState } from '../../contract/accounts/single-sign-on.ts';
import type { Consent, History, Overview } from '../../contract/credits/credits.ts';
import type { Done } from '../../contract/fields.ts';
import type { ConnectedApp, ConnectedAppList } from '../../contract/oauth/connected-apps.ts';
import { api } from '../api.ts';

/** The endpoints of the account screens. */

export type { ConnectedApp, Consent, ListedToken, Session };

export const listTokens = async () => (await api.get<PersonalTokenList>('/api/auth/tokens')).tokens;

export const createToken = (fields: NewPersonalToken) => api.post<PersonalToken>('/api/auth/tokens', fields);

export const revokeToken = (id: number) => api.delete(`/api/auth/tokens/${id}`);

export const listApps = async () => (await api.get<ConnectedAppList>('/api/auth/apps')).apps;

export const disconnectApp = (id: number) => api.delete(`/api/auth/apps/${id}`);

export const listSessions = async () => (await api.get<SessionList>('/api/auth/sessions')).sessions;

export const endSession = (id: number) => api.delete(`/api/auth/sessions/${id}`);

export const endOtherSessions = () => api.delete('/api/auth/sessions');

export const renameSession = (id: number, name: string) => api.patch(`/api/auth/sessions/${id}`, { name });

export const readAccount = () => api.get<Account>('/api/auth/account');

export const changeUsername = (change: UsernameChange) => api.post<Done>('/api/auth/username', change);

export const changeEmail = (change: EmailChange) => api.post<EmailChanged>('/api/auth/email', change);

export const sendConfirmation = () => api.post<Done>('/api/auth/email/confirmation');

export const changePassword = (change: PasswordChange) => api.post<Done>('/api/auth/password', change);

const SINGLE_SIGN_ON = '/api/auth/single-sign-on';

export const readSingleSignOn = () => api.get<SingleSignOnState>(SINGLE_SIGN_ON);

export const connectSingleSignOn = (proof: Reproof) => api.post<SingleSignOnStart>(SINGLE_SIGN_ON, proof);

export const disconnectSingleSignOn = (proof: Reproof) =>
  api.post<Done>(`${SINGLE_SIGN_ON}/disconnect`, proof);

export const readCredits = () => api.get<Overview>('/api/credits');

export const listHistory = (offset: number) =>
  api.get<History>(`/api/credits/history?limit=25&offset=${offset}`);

export const withdrawConsent = (pageId: number) => api.delete(`/api/credits/consents/${pageId}`);
