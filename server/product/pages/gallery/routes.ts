import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Gallery } from './gallery.ts';

export function galleryRoutes(gallery: Gallery): Route[] {
  return [handle(pageEndpoints.listGallery, ({ query, address }) => gallery.list(query, address))];
}
