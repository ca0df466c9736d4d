import type { PageRow } from '../../../platform/storage/index.ts';
import { type CopyContext, type CopyOrder, copyRecords } from './copy-records.ts';

/** The part of data that branches need. */
export interface RecordBranches {
  /** Copies the collections of a page as they were at a time. If it was interrupted, it can be run again. */
  copy(main: PageRow, branch: PageRow, order: CopyOrder): Promise<void>;
}

export function createRecordBranches(context: CopyContext): RecordBranches {
  return { copy: (main, branch, order) => copyRecords(context, main, branch, order) };
}
