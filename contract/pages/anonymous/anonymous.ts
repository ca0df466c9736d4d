import { z } from 'zod';
import { shortText, timestamp } from '../../fields.ts';
import { htmlContent } from '../pages.ts';

/** Pages of people without an account, and how an account takes one over. */

/** How long a page exists that nobody claims. */
export const UNCLAIMED_HOURS = 24;
/** Pages that one address can publish in a day without an account. */
export const ANONYMOUS_PAGES_PER_DAY = 5;
/** Pages on the whole server that nobody has claimed, and their bytes, unless an administrator sets another quota. */
export const MAX_UNCLAIMED_PAGES = 1_000;
export const MAX_UNCLAIMED_BYTES = 256 * 1024 * 1024;

export const AnonymousPage = z.strictObject({ html_content: htmlContent });

export const PublishedAnonymously = z.object({
  url: z.string(),
  slug: z.string(),
  expires_at: timestamp.meta({ description: 'When the page is deleted, unless somebody claims it before.' }),
  claim: z.string().meta({
    description:
      'A secret link. The first person who opens it, logs in and confirms owns the page. It is not shown again.',
  }),
});
export type PublishedAnonymously = z.infer<typeof PublishedAnonymously>;

/** The secret part of a claim link. */
const code = shortText(100);
export const ClaimQuery = z.object({ code: code.default('') });
export const ClaimBody = z.strictObject({ code });
