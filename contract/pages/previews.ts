import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { ROLES } from '../roles.ts';

/** An address at which anyone can see a draft or a version for some time. */
export const PreviewLink = z.object({
  preview_url: z
    .string()
    .meta({ description: 'Anyone with this link can see the preview, also if the page is not public.' }),
  preview_expires_at: timestamp,
});
export type PreviewLink = z.infer<typeof PreviewLink>;

/** The person that a preview shows a page to: the caller, with their role or a lower one. */

/** Somebody who is logged in and has no role on the page. */
export const VISITOR = 'visitor';
const PREVIEWED = [...ROLES, VISITOR] as const;
export type PreviewedAs = (typeof PREVIEWED)[number];

export const PreviewedAs = z.enum(PREVIEWED).meta({
  description:
    'The highest role that scripts of the preview have: yours or a lower one, or none with visitor.',
});

export const PreviewWish = z.object({ as: PreviewedAs });
export const PreviewSession = z.object({
  pageSession: z.string().meta({ description: 'For the header X-Page-Session, for this page only.' }),
  as: PreviewedAs,
  expiresIn: z.int().meta({ description: 'Seconds until the session expires. It cannot be renewed.' }),
});
export type PreviewSession = z.infer<typeof PreviewSession>;
