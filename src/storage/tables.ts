import type { Generated } from 'kysely';

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

export interface CreditAccountsTable {
  user_id: number;
  balance_tokens: number;
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

/** Bearer tokens of all kinds. Access and refresh tokens of one login share a family. */
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
  storage_mode: 'page' | 'solo_app' | 'team_app' | 'social_app';
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

export interface FunctionDatabasesTable {
  id: Generated<number>;
  owner_id: number;
  created_at: number;
  /** Set in the transaction that takes its last function away; the row goes when the file is gone. */
  deleted_at: number | null;
}

export interface FunctionsTable {
  id: Generated<number>;
  /** Null for the functions of the platform itself. */
  owner_id: number | null;
  slug: string;
  display_name: string;
  description: string;
  code: string;
  version: number;
  /** Counts changes of secrets, which also need a new cell. */
  secrets_revision: number;
  is_public: number;
  database_id: number | null;
  created_at: number;
  updated_at: number;
}

export interface FunctionSecretsTable {
  function_id: number;
  name: string;
  /** AES-GCM under the service's key. */
  sealed_value: string;
}

export interface FunctionLogsTable {
  id: Generated<number>;
  function_id: number;
  at: number;
  kind: 'console' | 'exception' | 'call' | 'system';
  level: string;
  message: string;
  status: number | null;
  duration_ms: number | null;
}

export interface FunctionStatsTable {
  function_id: number;
  hour: number;
  calls: number;
  errors: number;
  duration_total_ms: number;
  duration_max_ms: number;
}
