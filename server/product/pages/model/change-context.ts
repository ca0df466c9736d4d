import type { Db } from '../../../platform/storage/index.ts';
import type { ChargeUsage, PageFunctions } from '../../ports.ts';
import type { PageDirectory } from './directory.ts';

/** The dependencies of every change of a page. */
export interface ChangeContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  directory: PageDirectory;
  chargeUsage: ChargeUsage;
  functions: PageFunctions;
  /** Called when a page has changed, so that no old copy is served. */
  changed(pageId: number): void;
}
