import type { Actor } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';

/** What the verbs of this slice work with. */
export interface CreditsContext {
  db: Db;
  now: () => number;
}

/** Lets a page through that somebody may see, and fails for others; the pages slice knows the rule. */
export type SeePage = (pageId: number, actor: Actor | undefined) => Promise<AskingPage>;

/** A page as the consent screen shows it. The flags say what it may ask for, and are 0 or 1. */
export type AskingPage = { id: number; name: string; slug: string; owner_id: number } & Record<
  | 'page_api_ai_enabled'
  | 'page_api_image_gen_enabled'
  | 'page_api_image_recognition_enabled'
  | 'page_api_spawn_enabled',
  number
>;
