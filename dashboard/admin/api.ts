import type { Invite, NewInvite } from '../../contract/accounts/invites.ts';
import { registrationEndpoints } from '../../contract/accounts/registration-endpoints.ts';
import type { RegistrationMode } from '../../contract/accounts/registration-modes.ts';
import type { AuditRecord } from '../../contract/admin/audit.ts';
import { backupEndpoints } from '../../contract/admin/backup-endpoints.ts';
import type { Backup, BackupList } from '../../contract/admin/backups.ts';
import type { Connection, ModelServers, NewConnection } from '../../contract/admin/connections.ts';
import type {
  AdminFunction,
  AdminFunctionQuery,
  AdminPage,
  AdminPageQuery,
} from '../../contract/admin/content.ts';
import { contentEndpoints } from '../../contract/admin/content-endpoints.ts';
import type { HealthReport } from '../../contract/admin/health.ts';
import type { PatchInstance } from '../../contract/admin/instance.ts';
import { instanceEndpoints } from '../../contract/admin/instance-endpoints.ts';
import type { ProviderResult, ProviderStatus, ProviderTest } from '../../contract/admin/providers.ts';
import { serviceEndpoints } from '../../contract/admin/service-endpoints.ts';
import type { StorageReport } from '../../contract/admin/storage-report.ts';
import { userEndpoints } from '../../contract/admin/user-endpoints.ts';
import type {
  GrantBody,
  QuotaBody,
  ResetLink,
  User,
  UserDetail,
  UserQuery,
} from '../../contract/admin/users.ts';
import { reportEndpoints } from '../../contract/reports/endpoints.ts';
import type { AdminReport, AdminReportQuery } from '../../contract/reports/reports.ts';
import type { Connectable } from '../../contract/rules/provider-kinds.ts';
import { call, request, upload } from '../api.ts';

/** The endpoints of the administration screens. */

export type {
  AdminFunction,
  AdminPage,
  AdminReport,
  AuditRecord,
  Backup,
  BackupList,
  Connection,
  HealthReport as Health,
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

export type ModelServer = ModelServers['servers'][number];

export const PAGE_SIZE = 25;

/** A query without what is empty. */
const withoutEmpty = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as {
    [Name in keyof Query]?: Exclude<Query[Name], ''>;
  };

/** A filter in a form: what is not chosen is empty. */
type Filter<Query, Name extends keyof Query> = { [Field in Name]: NonNullable<Query[Field]> | '' };

export type UserFilter = Filter<UserQuery, 'q' | 'state' | 'administrators' | 'sort' | 'offset'>;
export const listUsers = (filter: UserFilter, signal: AbortSignal) =>
  call(userEndpoints.listUsers, { query: { ...withoutEmpty(filter), limit: PAGE_SIZE }, signal });

export const readUser = async (id: number, signal: AbortSignal) =>
  (await call(userEndpoints.getUser, { params: { id }, signal })).user;
export const giveCredits = (id: number, body: GrantBody) =>
  call(userEndpoints.grantCredits, { params: { id }, body });
export const suspendUser = (id: number, reason: string) =>
  call(userEndpoints.suspendUser, { params: { id }, body: { reason } });
export const restoreUser = (id: number) => call(userEndpoints.restoreUser, { params: { id } });
export const setAdministrator = (id: number, isAdmin: boolean) =>
  call(isAdmin ? userEndpoints.promoteUser : userEndpoints.demoteUser, { params: { id } });
export const makeResetLink = (id: number) => call(userEndpoints.resetUser, { params: { id } });
export const turnSecondFactorOff = (id: number) =>
  call(userEndpoints.turnSecondFactorOff, { params: { id } });
export const setQuota = (id: number, body: QuotaBody) =>
  call(userEndpoints.setQuotaOfUser, { params: { id }, body });
export const endSessions = (id: number) => call(userEndpoints.endSessionsOfUser, { params: { id } });
export const deleteUser = (id: number, isNow: boolean) =>
  call(userEndpoints.deleteUser, { params: { id }, query: { now: isNow ? 'true' : undefined } });

export type PageState = NonNullable<AdminPageQuery['state']>;
export type FunctionState = NonNullable<AdminFunctionQuery['state']>;
export type ContentFilter<State> = Filter<AdminPageQuery, 'q' | 'owner' | 'offset'> & { state: State | '' };
export const listPages = (filter: ContentFilter<PageState>, signal: AbortSignal) =>
  call(contentEndpoints.listAllPages, { query: { ...withoutEmpty(filter), limit: PAGE_SIZE }, signal });
export const takePageDown = (id: number, reason: string) =>
  call(contentEndpoints.takePageDown, { params: { id }, body: { reason } });
export const restorePage = (id: number) => call(contentEndpoints.restorePage, { params: { id } });

export const listFunctions = (filter: ContentFilter<FunctionState>, signal: AbortSignal) =>
  call(contentEndpoints.listAllFunctions, { query: { ...withoutEmpty(filter), limit: PAGE_SIZE }, signal });
export const takeFunctionDown = (slug: string, reason: string) =>
  call(contentEndpoints.takeFunctionDown, { params: { slug }, body: { reason } });
export const restoreFunction = (slug: string) => call(contentEndpoints.restoreFunction, { params: { slug } });

export const removeFromGallery = (id: number, reason: string) =>
  call(contentEndpoints.removeFromGallery, { params: { id }, body: { reason } });
export const allowInGallery = (id: number) => call(contentEndpoints.allowInGallery, { params: { id } });

export type ReportFilter = Filter<AdminReportQuery, 'state' | 'offset'>;
export const listReports = (filter: ReportFilter, signal: AbortSignal) =>
  call(reportEndpoints.listReports, { query: { ...withoutEmpty(filter), limit: PAGE_SIZE }, signal });
/** Dismisses all open reports of the page that this one is about. */
export const dismissReports = (id: string) =>
  call(reportEndpoints.dismissReport, { params: { id }, body: { all: true } });

export const readInstance = (signal: AbortSignal) => call(instanceEndpoints.getInstance, { signal });
export const saveInstance = (body: PatchInstance) => call(instanceEndpoints.updateInstance, { body });
export const removeLogo = () => call(instanceEndpoints.removeLogo);
export const sendLogo = (file: File) => upload(instanceEndpoints.setLogo, {}, file);

export const readRegistration = async (signal: AbortSignal) =>
  (await call(registrationEndpoints.getRegistration, { signal })).mode;
export const setRegistration = (mode: RegistrationMode) =>
  call(registrationEndpoints.setRegistration, { body: { mode } });
export const listInvites = async (signal: AbortSignal) =>
  (await call(registrationEndpoints.listRegistrationInvites, { signal })).invites;
export const makeInvite = (body: NewInvite) => call(registrationEndpoints.createRegistrationInvite, { body });
export const revokeInvite = (id: number) =>
  call(registrationEndpoints.revokeRegistrationInvite, { params: { id } });

export interface AuditFilter {
  actor: string;
  action: string;
  target: string;
  from: string;
  to: string;
}
export const readAudit = (filter: AuditFilter, before?: number, signal?: AbortSignal) =>
  call(serviceEndpoints.listAuditEntries, { query: { ...withoutEmpty(filter), before, limit: 50 }, signal });

export const readHealth = (signal: AbortSignal) => call(serviceEndpoints.getHealthReport, { signal });
export const readStorage = (signal: AbortSignal) => call(serviceEndpoints.getStorageReport, { signal });
export const listProviders = async (signal: AbortSignal) =>
  (await call(serviceEndpoints.listProviders, { signal })).providers;
export const testProvider = (name: string, body: ProviderTest = {}) =>
  call(serviceEndpoints.testProvider, { params: { name }, body });
export const connectProvider = (name: Connectable, body: NewConnection) =>
  call(serviceEndpoints.connectProvider, { params: { name }, body });
export const disconnectProvider = (name: Connectable) =>
  call(serviceEndpoints.disconnectProvider, { params: { name } });
export const listModelServers = async (signal: AbortSignal) =>
  (await call(serviceEndpoints.listModelServers, { signal })).servers;
export const readNewUserCredits = (signal: AbortSignal) =>
  call(serviceEndpoints.getNewUserCredits, { signal });
export const saveNewUserCredits = (credits: number) =>
  call(serviceEndpoints.setNewUserCredits, { body: { credits } });

export const listBackups = (signal: AbortSignal) => call(backupEndpoints.listBackups, { signal });
export const makeBackup = () => call(backupEndpoints.makeBackup);
export const deleteBackup = (name: string) => call(backupEndpoints.deleteBackup, { params: { name } });

/** Reads a backup, and says how far it is. */
export async function downloadBackup(name: string, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await request(backupEndpoints.downloadKeptBackup, { params: { name } });
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
