import { GalleryList, GalleryQuery } from '../../../../contract/pages/gallery.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import type { Gallery } from './gallery.ts';

export function galleryRoutes(gallery: Gallery): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/gallery',
      operationId: 'listGallery',
      access: { kind: 'public' },
      summary: 'The pages that their owners show to everyone, the newest first',
      query: GalleryQuery,
      response: GalleryList,
      handle: ({ query, address }) => gallery.list(query, address),
    }),
  ];
}
