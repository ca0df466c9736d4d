import { z } from 'zod';
import { queryNumber, shortText, timestamp } from '../fields.ts';
import { GALLERY_ORDERS, GALLERY_TOPICS } from '../rules/pages/gallery-topics.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { PagePicture } from './page-picture.ts';

/** The gallery: pages that their owners show to everyone who comes to this server. */

/** The last position that the gallery lists. Nobody reads further by hand, and a search finds the rest. */
const MAX_GALLERY_OFFSET = 10_000;

export const GalleryQuery = z.object({
  limit: queryNumber({ min: 1, max: 48, fallback: 24 }),
  offset: queryNumber({ min: 0, max: MAX_GALLERY_OFFSET, fallback: 0 }),
  q: shortText(100).optional().meta({ description: 'A part of the name or description, or of the author.' }),
  topic: z
    .enum(GALLERY_TOPICS, choiceRule(GALLERY_TOPICS))
    .optional()
    .meta({ description: 'Only pages about this.' }),
  order: z
    .enum(GALLERY_ORDERS, choiceRule(GALLERY_ORDERS))
    .default('newest')
    .meta({ description: 'Last added first, most views first, or last changed first.' }),
});
export type GalleryQuery = z.infer<typeof GalleryQuery>;

export const GalleryPage = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  author: z.string().meta({ description: 'The username of the owner.' }),
  url: z.string(),
  picture: PagePicture.nullable(),
  preview_image: z.string().nullable(),
  storage_mode: z.enum(STORAGE_MODES),
  topic: z.enum(GALLERY_TOPICS),
  views: z.int(),
  listed_at: timestamp,
  can_fork: z.boolean().meta({ description: 'Whether POST /api/pages/:id/fork makes a copy of the page.' }),
});
export type GalleryPage = z.infer<typeof GalleryPage>;

export const GalleryList = z.object({
  pages: z.array(GalleryPage),
  total: z.int(),
  topics: z
    .array(z.object({ topic: z.enum(GALLERY_TOPICS), pages: z.int() }))
    .meta({ description: 'How many pages of the whole gallery are about each topic that has any.' }),
  limit: z.int(),
  offset: z.int(),
});
export type GalleryList = z.infer<typeof GalleryList>;
