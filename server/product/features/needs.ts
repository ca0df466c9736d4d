import type { CreatePage } from '../../../contract/pages/pages.ts';
import type { Actor, SignedInCaller } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';

/** How features publish and change pages. */
export interface Publishing {
  /** Whether everyone can see the page. */
  isOpen(page: PageRow): boolean;
  /** Fails if a document is too large. The message names the field. */
  measureHtml(html: string, field: string): number;
  create(actor: Actor, page: Omit<CreatePage, 'access'>): Promise<PageRow>;
  fork(
    caller: SignedInCaller,
    id: number,
    changes: Partial<Pick<PageRow, 'name' | 'description' | 'storage_mode'>>,
  ): Promise<PageRow>;
  setPreviewImage(pageId: number, path: string): Promise<void>;
}

/** The features that cost credits. */
export type PaidFeature = 'ai' | 'image_gen' | 'image_recognition' | 'preview_image' | 'function_ai';

/** Why credits are not reserved. */
export type ReservationFailure =
  | 'consent required'
  | 'token limit reached'
  | 'daily limit reached'
  | 'insufficient credits';

export interface Spender {
  userId: number;
  pageId: number | null;
  /** True if a page spends for its visitor: then the user's consent for that page is needed too. */
  needsConsent: boolean;
  /** The bearer token of the request, if there is one: it has a limit. */
  tokenId?: number | undefined;
  /** The function that spends its owner's credits, if it is one: it has a limit for each day. */
  functionId?: number | undefined;
  /** The most that this page may spend for its visitors in a day, if the user pays for them. */
  pagePerDay?: number | undefined;
}

/** The part of credits that features use. Amounts are in tokens. */
export interface Credits {
  affordable(spender: Spender): Promise<number | ReservationFailure>;
  reserve(
    wish: Spender & { feature: PaidFeature; tokens: number },
  ): Promise<{ reservationId: string } | ReservationFailure>;
  settle(
    reservationId: string,
    usedTokens: number,
  ): Promise<{ chargedTokens: number; balanceTokens: number }>;
  release(reservationId: string): Promise<unknown>;
  mayPublish(userId: number, pageId: number): Promise<boolean>;
}
