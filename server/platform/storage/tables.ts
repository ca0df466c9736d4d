import type { Generated, Selectable } from 'kysely';
import type { StorageMode } from '../../../contract/pages.ts';
import type { StorageType } from '../../../contract/records.ts';
import type { GrantableRole } from '../../../contract/roles.ts';
import type {
  FunctionDatabasesTable,
  FunctionLogsTable,
  FunctionSecretsTable,
  FunctionStatsTable,
  FunctionsTable,
} from './function-tables.ts';

/**
 * The tables, the same on both engines. Moments are milliseconds since 1970, truths are 0 or 1: values that come
 * back alike from SQLite and PostgreSQL.
 */
export interface Tables {
  users: UsersTable;
  usage: UsageTable;
  credit_accounts: CreditAccountsTable;
  login_sessions: LoginSessionsTable;
  tokens: TokensTable;
  setup_codes: SetupCodesTable;
  pages: PagesTable;
  page_versions: PageVersionsTable;
  page_old_slugs: PageOldSlugsTable;
  page_messages: PageMessagesTable;
  agent_specs: AgentSpecsTable;
  function_databases: FunctionDatabasesTable;
  functions: FunctionsTable;
  function_secrets: FunctionSecretsTable;
  function_logs: FunctionLogsTable;
  function_stats: FunctionStatsTable;
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
  nodes: NodesTable;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  email: string;
  password_hash: string;
  is_admin: number;
  created_at: number;
}

/** What a user takes up, counted in the transaction that takes it, so that a quota holds under any race. */
export interface UsageTable {
  user_id: number;
  pages: number;
  functions: number;
  bytes: number;
}

/** What the ledger adds up to, for each user; no balance can go below zero, whoever spends at the same time. */
export interface CreditAccountsTable {
  user_id: number;
  balance_tokens: number;
  /** Set aside for what is under way. */
  held_tokens: Generated<number>;
}

export interface LoginSessionsTable {
  id: Generated<number>;
  user_id: number;
  secret_hash: string;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
}

/** Bearer tokens of all kinds. All that came of one login share a family and end with it. */
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
  /** How long a personal token was asked for; the login that made it may end earlier. */
  asked_expires_at: number | null;
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
  page_api_ai_enabled: number;
  page_api_image_gen_enabled: number;
  page_api_image_search_enabled: number;
  page_api_image_recognition_enabled: number;
  page_api_spawn_enabled: number;
  preview_image: string | null;
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
}

/** Addresses that a page had before; they redirect until another page takes them. */
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

/** A page's collections. Each storage mode has its own, so that going back to a mode brings its data back. */
export interface CollectionsTable {
  id: Generated<number>;
  page_id: number;
  storage_type: StorageType;
  name: string;
  /** The schema as JSON, where the page's owner has given one. */
  schema: string | null;
}

export interface RecordsTable {
  collection_id: number;
  /** A UUIDv7 of the moment in `created_at`. */
  id: string;
  /** JSON. It comes back as text from SQLite, parsed from PostgreSQL. */
  data: string;
  /** Bytes of the JSON as the service writes it. */
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
}

/** Counted in the transaction that writes, so that a list of millions knows its total. */
export interface RecordCountsTable {
  collection_id: number;
  /** Whose records are counted in solo mode; 0, for everybody's, in the others. */
  user_id: number;
  records: number;
  bytes: number;
  updated_at: number;
}

/** Everybody in a page's team but its owner. */
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
  /** Null when nobody knows any more. */
  created_by: number | null;
  role: GrantableRole;
  uses: number;
  /** Null when it may be used any number of times. */
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
 * Blobs that belong to nothing, or not yet. A key is noted here before its bytes are written and crossed out in the
 * transaction that gives it a row; so a crash leaves no bytes that nobody knows of.
 */
export interface BlobTrashTable {
  key: string;
  delete_after: number;
}

/** A movement of credits. Its entries add up to zero. */
export interface LedgerTransfersTable {
  id: string;
  kind: 'grant' | 'reserve' | 'settle' | 'release';
  user_id: number;
  page_id: number | null;
  feature: string | null;
  /** Said to the user: why credits were granted, or what they were spent on. */
  reason: string;
  created_at: number;
}

/** Where tokens came from (less than zero) and went (more than zero). */
export interface LedgerEntriesTable {
  transfer_id: string;
  account: 'issued' | 'available' | 'held' | 'spent';
  tokens: number;
}

/** What is set aside for a call that is under way. The row goes when it is settled or released, by whoever is first. */
export interface CreditReservationsTable {
  id: string;
  user_id: number;
  page_id: number | null;
  feature: string;
  tokens: number;
  /** 1 when it also counts towards the user's consent for the page. */
  is_consented: number;
  expires_at: number;
}

/** How much a user lets a page spend, and what it has spent or set aside. */
export interface CreditConsentsTable {
  user_id: number;
  page_id: number;
  limit_tokens: number;
  used_tokens: number;
  created_at: number;
}

/** Pictures at an address of ours: generated ones, and previews, which go with their page. */
export interface ImagesTable {
  id: string;
  owner_id: number;
  page_id: number | null;
  content_type: string;
  size: number;
  created_at: number;
}

/** Nodes on one PostgreSQL, by their data folders; not part of a backup. */
export interface NodesTable {
  name: string;
  /** Its machine, for the operator. */
  host: string;
  /** Where nodes of a cluster reach each other; null for a node that keeps databases to itself. */
  address: string | null;
  /** Names the process. */
  instance: string;
  keeps_databases: number;
  seen_at: number;
}
