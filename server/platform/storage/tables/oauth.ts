import type { Generated } from 'kysely';

/** The tables of OAuth: apps of other people that users connect to their accounts. */

/** Apps that registered themselves. Apps that describe themselves in a document are not stored. */
export interface OAuthClientsTable {
  client_id: string;
  name: string;
  /** The redirect URIs, as a JSON array. */
  redirect_uris: string;
  created_at: number;
  /** When a person last allowed the app something. */
  used_at: number | null;
}

/** The app, as the person saw it when they were asked, and what it was allowed. */
interface Allowed {
  page_id: number | null;
  client_id: string;
  name: string;
  origin: string;
  is_verified: number;
  resource: string;
  scopes: string;
  /** 1 if the app can only change branches. */
  branches_only: Generated<number>;
}

/** Connected apps. Each is a login: its tokens have the family `client-<id>`. */
export interface OAuthGrantsTable extends Allowed {
  id: Generated<number>;
  user_id: number;
  created_at: number;
  used_at: number;
  expires_at: number;
}

/** Codes that an app exchanges for its first tokens. */
export interface OAuthCodesTable extends Allowed {
  code_hash: string;
  user_id: number;
  redirect_uri: string;
  challenge: string;
  expires_at: number;
  spent_at: number | null;
  /** The grant that the code was exchanged for. If the code is used again, the grant ends. */
  grant_id: number | null;
}

/** Codes of programs that have no browser. `scopes` is what it asks for, and later what the person allowed. */
export interface OAuthDeviceCodesTable extends Allowed {
  code_hash: string;
  user_code: string;
  user_id: number | null;
  /** The address that asked for the code. */
  address: string;
  status: 'pending' | 'allowed' | 'denied';
  created_at: number;
  expires_at: number;
  polled_at: number | null;
  interval_seconds: number;
}
