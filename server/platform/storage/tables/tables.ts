import type { Generated } from 'kysely';
import type { Viewport } from '../../../../contract/checks/page-check.ts';
import type { GrantableRole } from '../../../../contract/roles.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type * as OfAnalytics from './analytics.ts';
import type { BranchesTable, BranchMailsTable, RepairsTable } from './branches.ts';
import type {
  CreditAccountsTable,
  CreditConsentsTable,
  CreditReservationsTable,
  LedgerEntriesTable,
  LedgerTransfersTable,
  PublishConsentsTable,
} from './credits.ts';
import type { PageDomainsTable } from './domains.ts';
import type { FileBlobsTable, PageBlobsTable, PageManifestsTable } from './files.ts';
import type {
  FormFilesTable,
  FormMessagesTable,
  FormSettingsTable,
  FormTextsTable,
  PageFormsTable,
} from './forms.ts';
import type * as OfFunctions from './functions.ts';
import type * as OfHistory from './history.ts';
import type * as OfLogins from './logins.ts';
import type { OAuthClientsTable, OAuthCodesTable, OAuthDeviceCodesTable, OAuthGrantsTable } from './oauth.ts';
import type * as OfPages from './pages.ts';
import type {
  LoginSessionsTable,
  OldUsernamesTable,
  SetupCodesTable,
  TokensTable,
  UsageTable,
  UsersTable,
} from './people.ts';
import type {
  RecordIndexBlocksTable,
  RecordIndexEntriesTable,
  RecordIndexesTable,
  RecordSearchTextsTable,
  RecordSearchWordsTable,
} from './record-indexes.ts';
import type { CollectionChangesTable, RecordChangesTable } from './record-log.ts';
import type { PageReportsTable } from './reports.ts';
import type {
  AuditEntriesTable,
  AuditStreamTable,
  BackupPlansTable,
  BackupProofsTable,
  BackupRunsTable,
  MailsTable,
  ServiceSettingsTable,
} from './service.ts';

/**
 * The tables, the same on both engines. Timestamps are milliseconds since 1970 and booleans are 0 or 1, because SQLite
 * and PostgreSQL return those in the same way.
 */
export interface Tables {
  users: UsersTable;
  usage: UsageTable;
  credit_accounts: CreditAccountsTable;
  login_sessions: LoginSessionsTable;
  tokens: TokensTable;
  setup_codes: SetupCodesTable;
  oauth_clients: OAuthClientsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_codes: OAuthCodesTable;
  oauth_device_codes: OAuthDeviceCodesTable;
  pages: OfPages.PagesTable;
  page_versions: OfPages.PageVersionsTable;
  page_drafts: OfPages.PageDraftsTable;
  attack_findings: OfPages.AttackFindingsTable;
  attack_reports: OfPages.AttackReportsTable;
  page_samples: OfPages.PageSamplesTable;
  template_requests: OfPages.TemplateRequestsTable;
  page_pictures: OfPages.PagePicturesTable;
  builder_progress: OfPages.BuilderProgressTable;
  builder_runs: OfPages.BuilderRunsTable;
  page_hours: OfAnalytics.PageHoursTable;
  page_days: OfAnalytics.PageDaysTable;
  page_referrers: OfAnalytics.PageReferrersTable;
  page_view_days: OfAnalytics.PageViewDaysTable;
  page_feature_days: OfAnalytics.PageFeatureDaysTable;
  page_errors: OfAnalytics.PageErrorsTable;
  page_manifests: PageManifestsTable;
  page_blobs: PageBlobsTable;
  file_blobs: FileBlobsTable;
  page_agent_functions: OfPages.PageAgentFunctionsTable;
  page_domains: PageDomainsTable;
  page_access: OfPages.PageAccessTable;
  page_people: OfPages.PagePeopleTable;
  page_old_slugs: OfPages.PageOldSlugsTable;
  page_messages: OfPages.PageMessagesTable;
  page_reports: PageReportsTable;
  page_forms: PageFormsTable;
  form_messages: FormMessagesTable;
  form_settings: FormSettingsTable;
  form_texts: FormTextsTable;
  form_files: FormFilesTable;
  agent_specs: AgentSpecsTable;
  function_databases: OfFunctions.FunctionDatabasesTable;
  database_snapshots: OfFunctions.DatabaseSnapshotsTable;
  functions: OfFunctions.FunctionsTable;
  function_ai_use: OfFunctions.FunctionAiUseTable;
  function_secrets: OfFunctions.FunctionSecretsTable;
  function_logs: OfFunctions.FunctionLogsTable;
  function_stats: OfFunctions.FunctionStatsTable;
  function_versions: OfFunctions.FunctionVersionsTable;
  function_jobs: OfFunctions.FunctionJobsTable;
  function_queues: OfFunctions.FunctionQueuesTable;
  function_triggers: OfFunctions.FunctionTriggersTable;
  function_schedules: OfFunctions.FunctionSchedulesTable;
  function_durations: OfFunctions.FunctionDurationsTable;
  saved_queries: OfFunctions.SavedQueriesTable;
  removed_functions: OfHistory.RemovedFunctionsTable;
  moments: OfHistory.MomentsTable;
  moment_snapshots: OfHistory.MomentSnapshotsTable;
  restores: OfHistory.RestoresTable;
  branches: BranchesTable;
  branch_mails: BranchMailsTable;
  repairs: RepairsTable;
  collections: CollectionsTable;
  records: RecordsTable;
  record_changes: RecordChangesTable;
  collection_changes: CollectionChangesTable;
  record_counts: RecordCountsTable;
  record_indexes: RecordIndexesTable;
  record_index_entries: RecordIndexEntriesTable;
  record_index_blocks: RecordIndexBlocksTable;
  record_search_texts: RecordSearchTextsTable;
  record_search_words: RecordSearchWordsTable;
  team_members: TeamMembersTable;
  team_invites: TeamInvitesTable;
  team_files: TeamFilesTable;
  blob_trash: BlobTrashTable;
  ledger_transfers: LedgerTransfersTable;
  ledger_entries: LedgerEntriesTable;
  credit_reservations: CreditReservationsTable;
  credit_consents: CreditConsentsTable;
  publish_consents: PublishConsentsTable;
  images: ImagesTable;
  screenshots: ScreenshotsTable;
  nodes: NodesTable;
  cluster_joins: ClusterJoinsTable;
  account_links: OfLogins.AccountLinksTable;
  passkeys: OfLogins.PasskeysTable;
  recovery_codes: OfLogins.RecoveryCodesTable;
  external_logins: OfLogins.ExternalLoginsTable;
  login_addresses: OfLogins.LoginAddressesTable;
  old_usernames: OldUsernamesTable;
  registration_invites: OfLogins.RegistrationInvitesTable;
  mails: MailsTable;
  service_settings: ServiceSettingsTable;
  backup_plans: BackupPlansTable;
  backup_proofs: BackupProofsTable;
  backup_runs: BackupRunsTable;
  audit_entries: AuditEntriesTable;
  audit_stream: AuditStreamTable;
}

export interface AgentSpecsTable {
  page_id: number;
  spec: string;
  created_at: number;
  updated_at: number;
}

/** A page's collections. Each storage mode has its own, so that switching back to a mode restores its data. */
export interface CollectionsTable {
  id: Generated<number>;
  page_id: number;
  storage_type: StorageType;
  name: string;
  /** The schema, and the rules in it, as JSON, if the page's owner has set them. */
  schema: string | null;
  rules: Generated<string | null>;
  /** The record log of the collection is complete since this time. */
  log_from: Generated<number>;
  /** 1 if the collection has indexes, so that others need not look. */
  is_indexed: Generated<number>;
}

export interface RecordsTable {
  collection_id: number;
  /** A UUIDv7 with the time in `created_at`. */
  id: string;
  /** JSON, to search in. SQLite returns it as text, PostgreSQL parsed and with sorted keys. */
  data: string;
  /** PostgreSQL: `data` as the service writes it; null if no version wrote it that knows this column. */
  text: Generated<string | null>;
  /** The size of the JSON in bytes, as the service writes it. */
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
}

/** Counts of records, updated in the transaction that writes one, so that the total is known. */
export interface RecordCountsTable {
  collection_id: number;
  /** The user whose records are counted in solo mode; 0, for all users, in other modes. */
  user_id: number;
  records: number;
  bytes: number;
  updated_at: number;
  /** The size of the record log. It does not count towards the quota of the page's owner. */
  log_bytes: Generated<number>;
  /** Equal to `updated_at` unless a node that does not know indexes has written since. */
  indexed_at: number | null;
}

/** The members of a page's team, except its owner. */
export interface TeamMembersTable {
  page_id: number;
  user_id: number;
  role: GrantableRole;
  joined_at: number;
}

export interface TeamInvitesTable {
  code_hash: string;
  id: string;
  page_id: number;
  /** Null if the user is no longer known. */
  created_by: number | null;
  role: GrantableRole;
  uses: number;
  /** Null if there is no limit. */
  max_uses: number | null;
  created_at: number;
  expires_at: number;
  /** Where the invite was sent. Null if it was not, or if that person has deleted their account. */
  email: Generated<string | null>;
}

export interface TeamFilesTable {
  id: string;
  page_id: number;
  name: string;
  content_type: string;
  size: number;
  uploaded_by: number;
  created_at: number;
}

/**
 * Blobs that do not belong to a row, or not yet. A key is added before its bytes are written and removed in the
 * transaction that gives it a row, so a crash leaves no bytes that no table knows.
 */
export interface BlobTrashTable {
  key: string;
  delete_after: number;
}

/** Pictures that we serve: generated ones, and previews, which are deleted with their page. */
export interface ImagesTable {
  id: string;
  owner_id: number;
  page_id: number | null;
  content_type: string;
  size: number;
  created_at: number;
}

export interface ScreenshotsTable {
  id: string;
  owner_id: number;
  page_id: number;
  /** Other: a window or a state that does not stand for the page. */
  viewport: Viewport | 'other';
  size: number;
  created_at: number;
  expires_at: number;
}

/** Nodes that share a PostgreSQL, by data folder; not part of a backup. */
export interface NodesTable {
  name: string;
  /** The name of its machine, for the operator. */
  host: string;
  /** Where other nodes of the cluster reach it; null for a node that is not in a cluster. */
  address: string | null;
  /** Identifies the process of the node. */
  instance: string;
  keeps_databases: number;
  seen_at: number;
  /** With QUIRE_CLUSTER_TLS: distinguishes the nodes of the cluster, from 1. Null without it, as the next two. */
  number: number | null;
  /** The SHA-256 of its certificate. */
  fingerprint: string | null;
  /** Names the loopback that it shares with other nodes of its machine. */
  network: string | null;
}

/** Tokens with which a machine joins the cluster; not part of a backup. */
export interface ClusterJoinsTable {
  secret_hash: string;
  /** The settings of the cluster, which only the token opens. Empty once it was used. */
  sealed: string;
  expires_at: number;
  used_at: number | null;
}
