import type { Generated } from 'kysely';

/** The tables of people: who they are, how they log in, and what they store. */

export interface UsersTable {
  id: Generated<number>;
  username: string;
  email: string;
  /** Null if nobody has confirmed that the address is theirs. */
  email_confirmed_at: Generated<number | null>;
  password_hash: string;
  is_admin: number;
  created_at: number;
  suspended_at: Generated<number | null>;
  suspended_reason: Generated<string | null>;
  /** When the account is deleted, unless its user logs in before then and keeps it. */
  removal_due_at: Generated<number | null>;
  /** Null for the quota of the service; 0 for no limit. */
  quota_pages: Generated<number | null>;
  quota_functions: Generated<number | null>;
  quota_bytes: Generated<number | null>;
  /** 1 if a passkey or a recovery code is required after the password. */
  needs_second_factor: Generated<number>;
  /** When they asked for a new password on a server without mail; null once an administrator has helped. */
  password_asked_at: Generated<number | null>;
}

/** Names that users had, kept for them so that nobody is taken for somebody else. */
export interface OldUsernamesTable {
  username: string;
  user_id: number;
  kept_until: number;
}

/** A user's usage, updated in the transaction that changes it, so that no race can exceed a quota. */
export interface UsageTable {
  user_id: number;
  pages: number;
  functions: number;
  bytes: number;
  /** At which percentage of their storage quota the user was last warned; 0 if they were not. */
  warned_percent: Generated<number>;
}

export type LoginMethod = 'password' | 'passkey' | 'recovery code' | 'single sign-on';

export interface LoginSessionsTable {
  id: Generated<number>;
  user_id: number;
  secret_hash: string;
  user_agent: string;
  /** What its user calls the device. */
  name: Generated<string>;
  address: Generated<string>;
  method: Generated<LoginMethod>;
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
  /** 1 if the token can only change branches. */
  branches_only: Generated<number>;
  /** What it may spend, if it may spend credits, and what it has spent or reserved. In tokens, as the ledger. */
  credit_limit_tokens: Generated<number | null>;
  credit_used_tokens: Generated<number>;
}

export interface SetupCodesTable {
  secret_hash: string;
  created_at: number;
}
