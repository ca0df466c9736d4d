/** Pages to start from. */
export { fillTemplate } from './fill.ts';
export { sortByNearness } from './nearest.ts';
export { PublishIntents } from './publish-intents.ts';
export { createTemplates, requireTemplate, templateRoutes } from './routes.ts';
export type { TemplateShelf } from './shelf.ts';
export { type ShownTemplate, showTemplate } from './shown.ts';
export { BUILD_BELOW, PUBLISH_BELOW, TRY_PATH, toTryPath } from './try-path.ts';
export { type OffersBuilder, WISH_STYLES, wishBox } from './wish-box.ts';
export { nameWish } from './wish-name.ts';
