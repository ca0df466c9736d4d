import type { ExportFile } from '../../../lib/formats/export-files.ts';
import type { PagesContext } from '../context.ts';
import { removeAdmitted } from '../update.ts';
import { exportPages, type PageExport } from './export.ts';
import { eachPage } from './store.ts';

/** What happens to the pages of a user who leaves. */
export class PageLeaving {
  readonly #context: PagesContext;

  constructor(context: PagesContext) {
    this.#context = context;
  }

  /** Exports the pages of a user, each with what other slices store with it. */
  exportOf(parts: PageExport['parts']): (userId: number) => AsyncIterable<ExportFile> {
    return (userId) => exportPages({ ...this.#context, parts }, userId);
  }

  /** Removes the pages of a user, one at a time. */
  async removeOf(userId: number, isStopping: () => boolean): Promise<void> {
    for await (const { id } of eachPage(this.#context.db, userId)) {
      if (isStopping()) return;
      await removeAdmitted(this.#context, id, async () => undefined);
    }
  }
}
