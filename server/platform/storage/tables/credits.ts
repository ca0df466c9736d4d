import type { Generated } from 'kysely';

/** The tables of credits. Amounts are in tokens. */

/** The sum of the ledger for each user. A balance cannot go below zero, even with concurrent spending. */
export interface CreditAccountsTable {
  user_id: number;
  balance_tokens: number;
  /** Tokens that are reserved for calls in progress. */
  held_tokens: Generated<number>;
}

/** A movement of credits. Its entries add up to zero. */
export interface LedgerTransfersTable {
  id: string;
  kind: 'grant' | 'reserve' | 'settle' | 'release';
  user_id: number;
  page_id: number | null;
  feature: string | null;
  /** Shown to the user: why credits were granted, or what they were spent on. */
  reason: string;
  created_at: number;
}

/** Where tokens came from (negative) and went (positive). */
export interface LedgerEntriesTable {
  transfer_id: string;
  account: 'issued' | 'available' | 'held' | 'spent';
  tokens: number;
}

/** Tokens reserved for a call in progress. The first to settle or release the reservation deletes the row. */
export interface CreditReservationsTable {
  id: string;
  user_id: number;
  page_id: number | null;
  feature: string;
  tokens: number;
  /** 1 if the reservation also counts towards the user's consent for the page. */
  is_consented: number;
  /** The bearer token whose limit the reservation also counts towards. */
  token_id: Generated<number | null>;
  /** The function whose limit of the day the reservation also counts towards, and when it was made. */
  function_id: Generated<number | null>;
  function_at: Generated<number | null>;
  expires_at: number;
}

/** How much a user allows a page to spend, and how much it has spent or reserved. */
export interface CreditConsentsTable {
  user_id: number;
  page_id: number;
  limit_tokens: number;
  used_tokens: number;
  created_at: number;
}

/** A user lets a page publish in their name. */
export interface PublishConsentsTable {
  user_id: number;
  page_id: number;
  created_at: number;
}
