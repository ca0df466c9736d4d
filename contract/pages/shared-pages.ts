import { z } from 'zod';
import { idParams, timestamp } from '../fields.ts';
import { UserRef } from '../references.ts';
import { GRANTABLE } from '../roles.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { PagePicture } from './page-picture.ts';
import { ListQuery } from './pages.ts';

/** Pages of other people that somebody works on or can see. */

/** The most pages of each kind in the list. Older ones are left out. */
export const MAX_SHARED_PAGES = 1_000;

export const SharedPagesQuery = ListQuery.extend({
  page: idParams.shape.id.optional().meta({ description: 'Only the page with this id.' }),
});
export type SharedPagesQuery = z.infer<typeof SharedPagesQuery>;

export const SharedPage = z.object({
  id: z.int(),
  name: z.string().meta({ description: 'A general name while you cannot see the page.' }),
  slug: z.string(),
  url: z.string(),
  owner: UserRef,
  storage_mode: z.enum(STORAGE_MODES),
  role: z
    .enum(GRANTABLE)
    .nullable()
    .meta({ description: 'Your role in its team; null if its owner named you as one who can see it.' }),
  since: timestamp.nullable().meta({ description: 'When you joined the team.' }),
  can_see: z.boolean().meta({
    description: 'False while its access keeps you out, for example because it has a password.',
  }),
  can_edit: z.boolean().meta({ description: 'Whether you can change the page and its settings.' }),
  updated_at: timestamp,
  picture: PagePicture.nullable(),
});
export type SharedPage = z.infer<typeof SharedPage>;

export const SharedPageList = z.object({
  pages: z.array(SharedPage),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type SharedPageList = z.infer<typeof SharedPageList>;
