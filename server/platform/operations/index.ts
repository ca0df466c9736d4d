export { serviceRoutes } from './routes.ts';
export { startVitals, type Vitals } from './vitals.ts';
