import type { RegistrationMode } from '../../contract/accounts/registration-modes.ts';
import type { AuditList, AuditRecord } from '../../contract/admin/audit.ts';
import type { Backup, BackupList, StartedBackup } from '../../contract/admin/backups.ts';
import type {
  AdminFunction,
  AdminFunctionList,
  AdminPage,
  AdminPageList,
} from '../../contract/admin/content.ts';
import type { HealthReport } from '../../contract/admin/health.ts';
import type { Instance, PatchInstance } from '../../contract/admin/instance.ts';
import type { CreatedInvite, Invite, InviteList, NewInvite } from '../../contract/admin/invites.ts';
import type { ProviderList, ProviderResult, ProviderStatus } from '../../contract/admin/providers.ts';
import type { StorageReport } from '../../contract/admin/storage-report.ts';
import type {
  DeletedUser,
  GrantBody,
  Granted,
  QuotaBody,
  ResetLink,
  User,
  UserDetail,
  UserDetailResponse,
  UserList,
} from '../../contract/admin/users.ts';
import type { HealthFields } from '../../contract/service.ts';
import { api, request, toApiError, upload } from '../api.ts';

/** The endpoints of the administration screens. */

export type {
  AdminFunction,
  AdminPage,
  AuditRecord,
  Backup,
  BackupList,
  Invite,
  NewInvite,
  ProviderResult,
  ProviderStatus,
  QuotaBody,
  RegistrationMode,
  ResetLink,
  StorageReport,
  User,
  UserDetail,
};
export type Health = HealthReport & HealthFields;

export const PAGE_SIZE = 25;

/** A query without what is empty. */
function queryOf(fields: Record<string, string | number | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

export interface UserFilter {
  q: string;
  state: string;
  administrators: string;
  sort: string;
  offset: number;
}
export const listUsers = (filter: UserFilter, signal: AbortSignal) =>
  api.get<UserList>(`/api/admin/users?${queryOf({ ...filter, limit: PAGE_SIZE })}`, { signal });

const userPath = (id: number) => `/api/admin/users/${id}`;
export const readUser = async (id: number, signal: AbortSignal) =>
  (await api.get<UserDetailResponse>(userPath(id), { signal })).user;
export const giveCredits = (id: number, grant: GrantBody) =>
  api.post<Granted>(`${userPath(id)}/credits`, grant);
export const suspendUser = (id: number, reason: string) => api.post(`${userPath(id)}/suspend`, { reason });
export const restoreUser = (id: number) => api.post(`${userPath(id)}/restore`);
export const setAdministrator = (id: number, isAdmin: boolean) =>
  api.post(`${userPath(id)}/${isAdmin ? 'promote' : 'demote'}`);
export const makeResetLink = (id: number) => api.post<ResetLink>(`${userPath(id)}/reset`);
export const turnSecondFactorOff = (id: number) => api.post(`${userPath(id)}/second-factor/off`);
export const setQuota = (id: number, quota: QuotaBody) => api.put(`${userPath(id)}/quota`, quota);
export const endSessions = (id: number) => api.delete<unknown>(`${userPath(id)}/sessions`);
export const deleteUser = (id: number, isNow: boolean) =>
  api.delete<DeletedUser>(`${userPath(id)}${isNow ? '?now=true' : ''}`);

export interface ContentFilter {
  q: string;
  owner: string;
  state: string;
  offset: number;
}
export const listPages = (filter: ContentFilter, signal: AbortSignal) =>
  api.get<AdminPageList>(`/api/admin/pages?${queryOf({ ...filter, limit: PAGE_SIZE })}`, { signal });
export const listFunctions = (filter: ContentFilter, signal: AbortSignal) =>
  api.get<AdminFunctionList>(`/api/admin/functions?${queryOf({ ...filter, limit: PAGE_SIZE })}`, { signal });
/** `target` is `pages/12` or `functions/slug`. */
export const takeDown = (target: string, reason: string) =>
  api.post(`/api/admin/${target}/take-down`, { reason });
export const putBack = (target: string) => api.post(`/api/admin/${target}/restore`);

export const removeFromGallery = (id: number, reason: string) =>
  api.post(`/api/admin/pages/${id}/gallery/remove`, { reason });
export const allowInGallery = (id: number) => api.post(`/api/admin/pages/${id}/gallery/allow`);

export const readInstance = (signal: AbortSignal) => api.get<Instance>('/api/instance', { signal });
export const saveInstance = (fields: PatchInstance) => api.patch<Instance>('/api/admin/instance', fields);
export const removeLogo = () => api.delete('/api/admin/instance/logo');
export const sendLogo = (file: File) => upload<Instance>('PUT', '/api/admin/instance/logo', file);

export const readRegistration = async (signal: AbortSignal) =>
  (await api.get<{ mode: RegistrationMode }>('/api/admin/registration', { signal })).mode;
export const setRegistration = (mode: RegistrationMode) => api.put('/api/admin/registration', { mode });
export const listInvites = async (signal: AbortSignal) =>
  (await api.get<InviteList>('/api/admin/invites', { signal })).invites;
export const makeInvite = (invite: NewInvite) => api.post<CreatedInvite>('/api/admin/invites', invite);
export const revokeInvite = (id: number) => api.delete(`/api/admin/invites/${id}`);

export interface AuditFilter {
  actor: string;
  action: string;
  target: string;
  from: string;
  to: string;
}
export const readAudit = (filter: AuditFilter, before?: number, signal?: AbortSignal) =>
  api.get<AuditList>(`/api/admin/audit?${queryOf({ ...filter, before, limit: 50 })}`, {
    ...(signal && { signal }),
  });

export const readHealth = (signal: AbortSignal) => api.get<Health>('/api/admin/health', { signal });
export const readStorage = (signal: AbortSignal) => api.get<StorageReport>('/api/admin/storage', { signal });
export const listProviders = async (signal: AbortSignal) =>
  (await api.get<ProviderList>('/api/admin/providers', { signal })).providers;
export const testProvider = (name: string, to?: string) =>
  api.post<ProviderResult>(`/api/admin/providers/${name}/test`, to ? { to } : {});

const BACKUPS = '/api/admin/backups';
export const listBackups = (signal: AbortSignal) => api.get<BackupList>(BACKUPS, { signal });
export const makeBackup = () => api.post<StartedBackup>(BACKUPS);
export const deleteBackup = (name: string) => api.delete(`${BACKUPS}/${name}`);

/** Reads a backup, and says how far it is. */
export async function downloadBackup(name: string, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await request('GET', `${BACKUPS}/${name}`);
  if (!response.ok) throw await toApiError(response);
  const reader = response.body?.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const step = await reader?.read();
    if (!step || step.done) break;
    pieces.push(step.value);
    bytes += step.value.length;
    onProgress(bytes);
  }
  return new Blob(pieces, { type: 'application/gzip' });
}
