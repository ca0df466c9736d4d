/** What pages of the gallery are about. Their owners choose one. */
export const GALLERY_TOPICS = [
  'personal',
  'events',
  'community',
  'learning',
  'work',
  'tools',
  'games',
  'art',
  'other',
] as const;
export type GalleryTopic = (typeof GALLERY_TOPICS)[number];

/** The topic of pages whose owners have not chosen one. */
export const NO_TOPIC = 'other' satisfies GalleryTopic;

/** How the gallery is sorted: last added, most views, or last changed first. */
export const GALLERY_ORDERS = ['newest', 'popular', 'changed'] as const;
export type GalleryOrder = (typeof GALLERY_ORDERS)[number];
