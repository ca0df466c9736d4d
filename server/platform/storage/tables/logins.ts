import type { Generated } from 'kysely';

/** The tables of the ways to log in other than a password. */

/** Links in mail that work once: to set a new password, or to confirm an address. */
export interface AccountLinksTable {
  secret_hash: string;
  user_id: number;
  kind: 'reset' | 'confirm';
  /** The address that the link was sent to, and that it confirms. */
  email: string;
  created_at: number;
  expires_at: number;
}

export interface PasskeysTable {
  id: Generated<number>;
  user_id: number;
  /** The id of the credential, in base64url like the public key. */
  credential_id: string;
  public_key: string;
  /** The signature counter of the authenticator, if it counts. */
  counter: number;
  /** The transports, as a JSON array. */
  transports: string;
  name: string;
  /** 1 if the passkey is on several devices of its owner. */
  is_synced: number;
  created_at: number;
  last_used_at: number | null;
}

export interface RecoveryCodesTable {
  user_id: number;
  code_hash: string;
}

/** People as an OpenID Connect provider knows them. */
export interface ExternalLoginsTable {
  issuer: string;
  subject: string;
  user_id: number;
  created_at: number;
  last_used_at: number;
}

/** Addresses that a user has logged in from. Wrong passwords from other places do not lock the user out there. */
export interface LoginAddressesTable {
  user_id: number;
  address_hash: string;
  last_seen_at: number;
}

/** Links that let people register while registration is by invite. */
export interface RegistrationInvitesTable {
  id: Generated<number>;
  secret_hash: string;
  created_by: number | null;
  /** The address that the invite was sent to, if it was sent. */
  email: string | null;
  note: string;
  uses: number;
  max_uses: number;
  created_at: number;
  expires_at: number;
}
