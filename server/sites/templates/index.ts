/** Pages to start from. */
export { sortByNearness } from './nearest.ts';
export { createTemplates, templateRoutes } from './routes.ts';
export { nameWish } from './wish-name.ts';
