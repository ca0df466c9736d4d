import type {
  AdminFunction,
  AdminFunctionDetail,
  AdminFunctionQuery,
  AdminPage,
  AdminPageDetail,
  AdminPageQuery,
} from '../../../contract/admin/content.ts';
import type { QuotaBody, UserDetail, UserQuery } from '../../../contract/admin/users.ts';
import type { HealthFields } from '../../../contract/service.ts';
import type { Mail } from '../../platform/mail/index.ts';
import type { Vitals } from '../../platform/operations/index.ts';
import type { ReplicaState } from '../../platform/replica/index.ts';
import type {
  Connections,
  InstanceSettings,
  ServiceSettings,
} from '../../platform/service-settings/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { ProviderTests, StorageSources } from './service-sources.ts';

/** A user as lists show them. */
export interface ListedUser {
  id: number;
  username: string;
  email: string;
  is_admin: number;
  created_at: number;
  suspended_at: number | null;
  removal_due_at: number | null;
  password_asked_at: number | null;
  pages: number;
  functions: number;
  bytes: number;
}

/** A user as changes need them: locked until the transaction ends. */
export interface LockedUser {
  id: number;
  username: string;
  email: string;
  email_confirmed_at: number | null;
  is_admin: number;
  suspended_at: number | null;
  removal_due_at: number | null;
}

/** The part of accounts that administrators use. */
interface Users {
  list(filter: UserQuery): Promise<{ rows: ListedUser[]; total: number }>;
  /** Everything about one user, without the credits. */
  detail(id: number): Promise<Omit<UserDetail, 'credits'> | undefined>;
  lock(tx: Tx, id: number): Promise<LockedUser | undefined>;
  setSuspended(tx: Tx, id: number, suspension: { at: number; reason: string } | null): Promise<void>;
  setAdmin(tx: Tx, username: string, isAdmin: boolean): Promise<unknown>;
  setQuota(tx: Tx, id: number, quota: QuotaBody): Promise<void>;
  /** Ends a deletion that is not due yet. Undefined if there is none. */
  keep(tx: Tx, deletion: { userId: number; dueAt: number }): Promise<unknown>;
  /** Ends every login: sessions, tokens of programs, connected apps. */
  endLogins(tx: Tx, id: number): Promise<void>;
  /** A link that lets the user set a new password, for the administrator to pass on. */
  makeResetLink(tx: Tx, id: number): Promise<{ link: string; expiresAt: number }>;
  /** Turns off the second factor. False if it was already off. */
  clearSecondFactor(tx: Tx, id: number): Promise<boolean>;
  /** Fails if nobody else is an administrator who can log in. */
  assertNotLastAdministrator(tx: Tx, id: number): Promise<void>;
  /** Call this when logins of a user have ended, or when the user no longer exists. */
  loginsEnded(id: number): void;
}

type Down = { at: number; reason: string } | null;
/** The row that was taken down or restored. Call `announce` after the commit. */
type Changed<Row> = Promise<{ row: Row; announce(): void } | undefined>;

/** The part of pages that administrators use. */
interface AdministeredPages {
  list(filter: AdminPageQuery): Promise<{ pages: AdminPage[]; total: number }>;
  detail(id: number): Promise<AdminPageDetail['page'] | undefined>;
  setTakenDown(
    tx: Tx,
    id: number,
    down: Down,
  ): Changed<{ id: number; slug: string; name: string; owner_id: number }>;
  /** Removes a page from the gallery, or lets its owner add it again. */
  setUnlisted(
    tx: Tx,
    id: number,
    removal: Down,
  ): Changed<{ id: number; slug: string; name: string; owner_id: number }>;
}

/** The part of functions that administrators use. */
interface Functions {
  list(filter: AdminFunctionQuery): Promise<{ functions: AdminFunction[]; total: number }>;
  detail(slug: string): Promise<AdminFunctionDetail['function'] | undefined>;
  setTakenDown(
    tx: Tx,
    slug: string,
    down: Down,
  ): Changed<{ id: number; slug: string; owner_id: number | null }>;
}

/** The parts of other slices and the platform that administrators use. */
export interface AdminContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** Where to report vulnerabilities of this server, as a URI. */
  securityContact: string | undefined;
  mail: Pick<Mail, 'send'>;
  users: Users;
  pages: AdministeredPages;
  functions: Functions;
  /** Decides the open reports of a page that is taken down. */
  upholdReports(tx: Tx, pageId: number): Promise<void>;
  /** Blocks everything that a user owns, or unblocks it. Call the returned function after the commit. */
  blockOwner(tx: Tx, ownerId: number, at: number | null): Promise<() => void>;
  /**
   * Blocks an account, and deletes it when it is due. Call the returned function after the commit. Refused for the last
   * administrator.
   */
  requestRemoval(
    tx: Tx,
    userId: number,
    request: { by: { userId: number; username: string }; address: string; dueAt: number },
  ): Promise<() => void>;
  /** How long people can keep an account after they asked to delete it. */
  returnMs: number;
  /** The balances of users in credits, by user id. */
  readCredits(userIds: number[]): Promise<Map<number, number>>;
  /** Gives a user credits. Returns the new balance; undefined if there is no such user. */
  grantCredits(tx: Tx, userId: number, credits: number, reason: string): Promise<number | undefined>;
  /** How this server presents itself. */
  instance: InstanceSettings;
  /** The models and searches that administrators connect. */
  connections: Connections;
  serviceSettings: Pick<ServiceSettings, 'lastBackups' | 'areFirstStepsHidden' | 'hideFirstSteps'>;
  /** Whether the server backs itself up. */
  hasBackupSchedule: boolean;
  storage: StorageSources;
  providers: ProviderTests;
  health: () => Promise<HealthFields>;
  vitals: Vitals;
  maxCells: number;
  /** The replica of this server, if it has one. */
  replica?: { readonly state: ReplicaState } | undefined;
  /** The databases of each node, in a cluster. */
  holders?: (() => Promise<Record<string, number[]>>) | undefined;
}
