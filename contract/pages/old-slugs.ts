import { z } from 'zod';
import { idParams, timestamp } from '../fields.ts';

/** The wire shapes of slugs that a page had before. */

export const oldSlugParams = z.object({
  ...idParams.shape,
  slug: z
    .string()
    .max(200)
    .meta({ examples: ['my-first-page'] }),
});

export const OldSlug = z.object({
  slug: z.string(),
  reserved_until: timestamp.meta({ description: 'Until then, only the owner of the page can use the slug' }),
});
export type OldSlug = z.infer<typeof OldSlug>;

export const OldSlugList = z.object({ slugs: z.array(OldSlug) });
export type OldSlugList = z.infer<typeof OldSlugList>;
