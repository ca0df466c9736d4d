/** What administrators see and do with users, credits and the service. It has no state and no tables of its own. */
export { adminRoutes } from './routes.ts';
