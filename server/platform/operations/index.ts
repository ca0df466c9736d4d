/** What fills a folder, by the names in it. */
export { type FolderSizes, folderSizes } from './folder-sizes.ts';
export { serviceRoutes } from './routes.ts';
export { startVitals, type Vitals } from './vitals.ts';
