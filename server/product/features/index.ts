import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { FeaturesContext } from './context.ts';
import { createGate } from './gate.ts';
import { featureRoutes } from './routes.ts';

/** Where the bytes of images are stored, and how a page's own images are deleted with it. */
export { imageKey, removeImagesWithPage } from './images.ts';
/** Exports pictures. */
export { exportImages } from './privacy/export.ts';
/** Removes the pictures of a user whose account is deleted. */
export { hasImages, removeUserImages } from './privacy/remove.ts';
/** The path of the images of the demo search. */
export { DEMO_IMAGES } from './routes.ts';

const PREVIEWS = { points: 20, seconds: 60 };

/** Visitor features: chat, images and new pages, requested by a page for its visitor. */
export function createFeatures(
  options: Omit<FeaturesContext, 'gate' | 'previewLimit'> & { limits: Limits },
): Route[] {
  const { limits, ...rest } = options;
  const { db, pages } = rest;
  return featureRoutes({
    ...rest,
    gate: createGate({ db, limits, pages }),
    previewLimit: limits.limit('preview images', PREVIEWS, 'Too many preview images. Try again {wait}.'),
  });
}
