import type { GrantBody, Granted, HealthReport, User, UserList } from '../../contract/admin.ts';
import type { HealthFields } from '../../contract/service.ts';
import { api } from '../api.ts';

/** The endpoints of the administration screens. */

export type { User };
export type Health = HealthReport & HealthFields;

export const listUsers = (q: string, offset: number) =>
  api.get<UserList>(`/api/admin/users?limit=25&offset=${offset}${q && `&q=${encodeURIComponent(q)}`}`);

export const giveCredits = (userId: number, grant: GrantBody) =>
  api.post<Granted>(`/api/admin/users/${userId}/credits`, grant);

export const readHealth = () => api.get<Health>('/api/admin/health');
