/** Watches the disk, and holds some of it back for logging in and deleting. */
export { DiskSpace } from './disk-space.ts';
/** What fills a folder, by the names in it. */
export { type FolderSizes, folderSizes } from './folder-sizes.ts';
/** The last backup and delayed schedules, as the database knows them. */
export { type BackupTimes, Reports } from './reports.ts';
export { serviceRoutes } from './routes.ts';
export { startVitals, type Vitals } from './vitals.ts';
