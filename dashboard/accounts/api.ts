import { api } from '../api.ts';

/** The endpoints of the account screens. */

export interface PersonalToken {
  id: number;
  name: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

export interface Session {
  id: number;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  current: boolean;
}

export interface Consent {
  pageId: number;
  page: { id: number; name: string; slug: string };
  limit: number;
  used: number;
  createdAt: string;
}

interface HistoryItem {
  id: string;
  kind: 'grant' | 'spend';
  credits: number;
  feature?: string;
  pageId?: number;
  /** The page that used the credits, unless it has been deleted. */
  page?: { id: number; name: string; slug: string };
  reason: string;
  createdAt: string;
}

export const listTokens = async () => (await api.get<{ tokens: PersonalToken[] }>('/api/auth/tokens')).tokens;

export const createToken = (fields: { name: string; scopes: string[]; expiresAt?: string }) =>
  api.post<{ id: number; token: string }>('/api/auth/tokens', fields);

export const revokeToken = (id: number) => api.delete(`/api/auth/tokens/${id}`);

export const listSessions = async () =>
  (await api.get<{ sessions: Session[] }>('/api/auth/sessions')).sessions;

export const endSession = (id: number) => api.delete(`/api/auth/sessions/${id}`);

export const endOtherSessions = () => api.delete('/api/auth/sessions');

export const changePassword = (current: string, next: string) =>
  api.post<{ message: string }>('/api/auth/password', { current, next });

export const readCredits = () => api.get<{ balance: number; consents: Consent[] }>('/api/credits');

export const listHistory = (offset: number) =>
  api.get<{ history: HistoryItem[]; total: number; limit: number }>(
    `/api/credits/history?limit=25&offset=${offset}`,
  );

export const withdrawConsent = (pageId: number) => api.delete(`/api/credits/consents/${pageId}`);
