import type { ExportFile } from '../../../lib/formats/export-files.ts';
import { type RemoveContext, removeAdmitted } from '../editing/remove.ts';
import { exportPages, type PageExport } from './export.ts';
import { eachPage } from './store.ts';

export type LeavingContext = RemoveContext & Omit<PageExport, 'parts'>;

/** Exports and removes the pages of a user whose account is deleted. */
export class PageLeaving {
  readonly #context: LeavingContext;

  constructor(context: LeavingContext) {
    this.#context = context;
  }

  /** Exports the pages of a user, each with what other slices store with it. */
  exportFiles(parts: PageExport['parts']): (userId: number) => AsyncIterable<ExportFile> {
    return (userId) => exportPages({ ...this.#context, parts }, userId);
  }

  /** Removes the pages of a user, one at a time. */
  async removeUserData(userId: number, isStopping: () => boolean): Promise<void> {
    for await (const { id } of eachPage(this.#context.db, userId)) {
      if (isStopping()) return;
      await removeAdmitted(this.#context, id, async () => undefined);
    }
  }
}
