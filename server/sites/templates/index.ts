/** Pages to start from. */
export { createTemplates, templateRoutes } from './routes.ts';
