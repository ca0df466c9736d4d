import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { FeaturesContext } from './context.ts';
import { createGate } from './gate.ts';
import { featureRoutes } from './routes.ts';

/** Where a picture's bytes are kept, and how a page's own pictures go with it. */
export { imageKey, removeImagesWithPage } from './images.ts';
/** Where pictures of the demo search are. */
export { DEMO_IMAGES } from './routes.ts';

const PREVIEWS = { points: 20, seconds: 60 };

/** Visitor features: chat, pictures and new pages, asked for by a page in its visitor's name. */
export function createFeatures(
  options: Omit<FeaturesContext, 'gate' | 'previewLimit'> & { limits: Limits },
): Route[] {
  const { limits, ...rest } = options;
  const { db, pages } = rest;
  return featureRoutes({
    ...rest,
    gate: createGate({ db, limits, pages }),
    previewLimit: limits.limit('preview images', PREVIEWS, 'Too many preview images.'),
  });
}
