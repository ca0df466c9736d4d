import type { Generated, Selectable } from 'kysely';
import type { Viewport } from '../../../contract/checks/page-check.ts';
import type { GrantableRole } from '../../../contract/roles.ts';
import type { StorageMode, StorageType } from '../../../contract/rules/storage-modes.ts';
import type { AccessMode } from '../../../contract/sites/access-modes.ts';
import type { PageAccessTable, PagePeopleTable } from './access-tables.ts';
import type {
  CreditAccountsTable,
  CreditConsentsTable,
  CreditReservationsTable,
  LedgerEntriesTable,
  LedgerTransfersTable,
} from './credit-tables.ts';
import type { PageDomainsTable } from './domain-tables.ts';
import type { FileBlobsTable, PageBlobsTable, PageManifestsTable } from './file-tables.ts';
import type { FormFilesTable, FormMessagesTable, FormTextsTable, PageFormsTable } from './form-tables.ts';
import type * as OfFunctions from './function-tables.ts';
import type {
  OAuthClientsTable,
  OAuthCodesTable,
  OAuthDeviceCodesTable,
  OAuthGrantsTable,
} from './oauth-tables.ts';

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
  pages: PagesTable;
  page_versions: PageVersionsTable;
  page_manifests: PageManifestsTable;
  page_blobs: PageBlobsTable;
  file_blobs: FileBlobsTable;
  page_agent_functions: PageAgentFunctionsTable;
  page_domains: PageDomainsTable;
  page_access: PageAccessTable;
  page_people: PagePeopleTable;
  page_old_slugs: PageOldSlugsTable;
  page_messages: PageMessagesTable;
  page_forms: PageFormsTable;
  form_messages: FormMessagesTable;
  form_texts: FormTextsTable;
  form_files: FormFilesTable;
  agent_specs: AgentSpecsTable;
  function_databases: OfFunctions.FunctionDatabasesTable;
  functions: OfFunctions.FunctionsTable;
  function_secrets: OfFunctions.FunctionSecretsTable;
  function_logs: OfFunctions.FunctionLogsTable;
  function_stats: OfFunctions.FunctionStatsTable;
  function_versions: OfFunctions.FunctionVersionsTable;
  function_schedules: OfFunctions.FunctionSchedulesTable;
  collections: CollectionsTable;
  records: RecordsTable;
  record_counts: RecordCountsTable;
  team_members: TeamMembersTable;
  team_invites: TeamInvitesTable;
  team_files: TeamFilesTable;
  blob_trash: BlobTrashTable;
  ledger_transfers: LedgerTransfersTable;
  ledger_entries: LedgerEntriesTable;
  credit_reservations: CreditReservationsTable;
  credit_consents: CreditConsentsTable;
  images: ImagesTable;
  screenshots: ScreenshotsTable;
  nodes: NodesTable;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  email: string;
  /** Null if nobody has confirmed that the address is theirs. */
  email_confirmed_at: Generated<number | null>;
  password_hash: string;
  is_admin: number;
  created_at: number;
}

/** A user's usage, updated in the transaction that changes it, so that no race can exceed a quota. */
export interface UsageTable {
  user_id: number;
  pages: number;
  functions: number;
  bytes: number;
}

/** The sum of the ledger for each user. A balance cannot go below zero, even with concurrent spending. */
export interface LoginSessionsTable {
  id: Generated<number>;
  user_id: number;
  secret_hash: string;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
}

/** Bearer tokens of all kinds. Tokens from the same login share a family and end with it. */
export interface TokensTable {
  id: Generated<number>;
  user_id: number;
  kind: 'access' | 'refresh' | 'personal' | 'dashboard';
  secret_hash: string;
  name: string;
  scopes: string;
  family: string | null;
  created_at: number;
  last_used_at: number | null;
  spent_at: number | null;
  expires_at: number | null;
  /** The requested expiry of a personal token; the login that created it may end earlier. */
  asked_expires_at: number | null;
  /** The only page that the token can be used for. */
  page_id: number | null;
  /** What it may spend, if it may spend credits, and what it has spent or reserved. In tokens, as the ledger. */
  credit_limit_tokens: Generated<number | null>;
  credit_used_tokens: Generated<number>;
}

export interface SetupCodesTable {
  secret_hash: string;
  created_at: number;
}

export interface PagesTable {
  id: Generated<number>;
  owner_id: number;
  name: string;
  slug: string;
  description: string;
  storage_mode: StorageMode;
  is_published: number;
  is_unlisted: number;
  access_mode: Generated<AccessMode>;
  /** Changes with the mode, the password and the people. */
  access_stamp: Generated<string>;
  /** From then on only the owner and admins can see the page. */
  access_expires_at: Generated<number | null>;
  page_api_ai_enabled: number;
  page_api_image_gen_enabled: number;
  page_api_image_search_enabled: number;
  page_api_image_recognition_enabled: number;
  page_api_spawn_enabled: number;
  preview_image: string | null;
  /** The domain that is its main address, if it has one. */
  domain: Generated<string | null>;
  version: number;
  views: number;
  created_at: number;
  updated_at: number;
}

export type PageRow = Selectable<PagesTable>;

export interface PageVersionsTable {
  page_id: number;
  version: number;
  html_content: string;
  size: number;
  content_hash: string;
  author_id: number | null;
  created_at: number;
  /** The files; null if there are none. */
  manifest_id: number | null;
  /** The version whose document this one has too. Its own column is empty then. */
  html_version: number | null;
}

/** The functions that a page offers to agents, as JSON. */
export interface PageAgentFunctionsTable {
  page_id: number;
  functions: string;
}

/** Former slugs of a page; they redirect until another page takes them. */
export interface PageOldSlugsTable {
  slug: string;
  page_id: number;
}

export interface PageMessagesTable {
  id: Generated<number>;
  page_id: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
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
}

export interface RecordsTable {
  collection_id: number;
  /** A UUIDv7 with the time in `created_at`. */
  id: string;
  /** JSON. SQLite returns it as text, PostgreSQL parsed. */
  data: string;
  /** The size of the JSON in bytes, as the service writes it. */
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
}

/** Updated in the transaction that writes a record, so that the total of a large collection is known. */
export interface RecordCountsTable {
  collection_id: number;
  /** The user whose records are counted in solo mode; 0, for all users, in other modes. */
  user_id: number;
  records: number;
  bytes: number;
  updated_at: number;
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
  /** Null if no longer known. */
  created_by: number | null;
  role: GrantableRole;
  uses: number;
  /** Null if there is no limit. */
  max_uses: number | null;
  created_at: number;
  expires_at: number;
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

/** Nodes that share a PostgreSQL, by data folder; not part of a backup. */
export interface ScreenshotsTable {
  id: string;
  owner_id: number;
  page_id: number;
  viewport: Viewport;
  size: number;
  created_at: number;
  expires_at: number;
}

export interface NodesTable {
  name: string;
  /** The name of its machine, for the operator. */
  host: string;
  /** Where other nodes of the cluster reach it; null for a node that is not in a cluster. */
  address: string | null;
  /** Identifies the process. */
  instance: string;
  keeps_databases: number;
  seen_at: number;
}
