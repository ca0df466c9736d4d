import type { Db, Tx } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** What moving credits needs. */
export interface Ledger {
  db: Db;
  now: () => number;
}

/** Moving credits that a program can spend: with a bearer token, up to its limit. */
export interface SpendingLedger extends Ledger {
  tokenLimits: TokenLimits;
}

/** What bearer tokens may spend. */
interface TokenLimits {
  /** What is left; undefined if the token has no limit. */
  remaining(db: Db, tokenId: number): Promise<number | undefined>;
  /** Counts what is reserved. Fails if that exceeds the limit. */
  use(tx: Tx, tokenId: number, tokens: number): Promise<void>;
  giveBack(tx: Tx, tokenId: number, tokens: number): Promise<void>;
}

/** What the operations of this slice need. */
export interface CreditsContext extends SpendingLedger {
  pages: PageDirectory;
  /** The name of a user, to show. */
  usernameOf(userId: number): Promise<string>;
  /** The service's own address. */
  baseUrl: string;
}

/** A page as the consent screen shows it. The flags say which features it has, and are 0 or 1. */
export type AskingPage = { id: number; name: string; slug: string; owner_id: number } & Record<
  | 'page_api_ai_enabled'
  | 'page_api_image_gen_enabled'
  | 'page_api_image_recognition_enabled'
  | 'page_api_spawn_enabled',
  number
>;
