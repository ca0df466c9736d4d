import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** An address at which anyone can see a draft or a version for some time. */
export const PreviewLink = z.object({
  preview_url: z
    .string()
    .meta({ description: 'Anyone with this link can see it, also if the page is not public.' }),
  preview_expires_at: timestamp,
});
export type PreviewLink = z.infer<typeof PreviewLink>;
