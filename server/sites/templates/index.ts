/** Pages to start from. */

export { fillTemplate } from './fill.ts';
export { sortByNearness } from './nearest.ts';
export { createTemplates, requireTemplate, templateRoutes } from './routes.ts';
export type { TemplateShelf } from './shelf.ts';
export { nameWish } from './wish-name.ts';
