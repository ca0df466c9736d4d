import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { FeaturesContext } from './context.ts';
import { createFunctionAi, type FunctionAi } from './function-ai.ts';
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
/** The bytes of images of pages. */
export { measureImages } from './store.ts';

const PREVIEWS = { points: 20, seconds: 60 };
/** The operator pays for these, and a prompt or a schema can make every answer one. */
const UNFIT_ANSWERS = { points: 30, seconds: 3600 };

/** Visitor features: chat, images and new pages, requested by a page for its visitor. Functions use chat too. */
export function createFeatures(
  options: Omit<FeaturesContext, 'gate' | 'previewLimit' | 'unfitLimit'> & { limits: Limits },
): { routes: Route[]; ai: FunctionAi } {
  const { limits, ...rest } = options;
  const { db, pages } = rest;
  const context: FeaturesContext = {
    ...rest,
    gate: createGate({ db, limits, pages }),
    previewLimit: limits.limit('preview images', PREVIEWS, 'Too many preview images. Try again {wait}.'),
    unfitLimit: limits.limit(
      'unfit answers',
      UNFIT_ANSWERS,
      'More than {points} answers in an hour did not fit response_format, and cost nothing. Change the prompt or the schema, and try again {wait}.',
    ),
  };
  return { routes: featureRoutes(context), ai: createFunctionAi(context) };
}
