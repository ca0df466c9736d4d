import type { Db, Tx } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** The dependencies of moving credits. */
export interface Ledger {
  db: Db;
  now: () => number;
}

/** The dependencies of spending credits, also by a program with a bearer token, up to its limit. */
export interface SpendingLedger extends Ledger {
  tokenLimits: TokenLimits;
  functionLimits: FunctionLimits;
}

/** The credit limits of bearer tokens. */
interface TokenLimits {
  /** The rest of a token's limit; undefined if the token has no limit. */
  remaining(db: Db, tokenId: number): Promise<number | undefined>;
  /** Adds a reservation to what a token has spent. Fails if that exceeds the limit. */
  use(tx: Tx, tokenId: number, tokens: number): Promise<void>;
  giveBack(tx: Tx, tokenId: number, tokens: number): Promise<void>;
}

/** The limits that functions have for a day. */
interface FunctionLimits {
  /** The rest of a function's limit; 0 if the function no longer exists. */
  remaining(db: Db, functionId: number, at: number): Promise<number>;
  /** Counts a reservation towards the limit of the day on which it is made. */
  use(tx: Tx, functionId: number, at: number, tokens: number): Promise<void>;
  /** Gives back the rest of a reservation that was made then. */
  giveBack(tx: Tx, functionId: number, at: number, tokens: number): Promise<void>;
}

/** The dependencies of the credits slice. */
export interface CreditsContext extends SpendingLedger {
  pages: PageDirectory;
  /** The name of a user, to show. */
  readUsername(userId: number): Promise<string>;
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
