import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { followLog, showEntry } from '../functions/log.ts';
import { PAGE_FILES, readPageFolder } from '../pages/folder.ts';
import { push } from '../pages/push.ts';
import { printWarnings } from '../pages/warnings.ts';
import { printable } from '../terminal/colours.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { SourceError, showFault } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';
import { watchFiles } from './watch.ts';

export const dev: Command = {
  name: 'dev',
  usage: '<folder>',
  args: [1, 1],
  summary: 'push a page on every save, and show errors with their line',
  options: {
    force: {
      type: 'boolean',
      summary:
        "first overwrite someone else's newer version, or a page or function that was not pushed from this folder",
    },
    ...SERVER_OPTION,
  },
  notes: `Watches ${PAGE_FILES.join(', ')} in the folder, and follows the log of the page's function. Press Ctrl-C
to stop. With --json, prints one line for each push and each log entry.`,
  async run(call) {
    const api = await connect(call);
    const [folder = ''] = call.args;
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw new CommandError(`The folder ${folder} does not exist.`, EXIT.notFound);
    await onInterrupt((signal) => develop(api, folder, call, signal));
  },
};

async function develop(api: Api, folder: string, call: Call, signal: AbortSignal): Promise<void> {
  const startedAt = new Date().toISOString();
  let isForced = call.flag('force');
  const key = await readMemoryKey(call.environment);
  let followed: string | undefined;

  async function pushOnce(): Promise<void> {
    try {
      const page = await readPageFolder(folder);
      const published = await push(api, page, { isForced, key });
      isForced = false;
      printWarnings(call.out, join(folder, page.file), page.html, published.warnings);
      const { action, page: made } = published;
      const time = new Date().toTimeString().slice(0, 8);
      call.out.item(
        { type: 'push', ...published },
        `${call.out.paint.dim(time)} ${call.out.paint.green(action.padEnd(9))} ${printable(made.url)} (version ${made.version})`,
      );
      follow(page.settings.function?.slug);
    } catch (error) {
      // After an error response, an error in a file or an unavailable server, the next save tries again.
      if (!(error instanceof CommandError)) throw error;
      const text =
        error instanceof SourceError
          ? showFault(error.fault, error.place, call.out.paintError)
          : error.message;
      call.out.error(text);
      if (call.out.isJson) call.out.item({ type: 'error', error: error.message, ...error.details }, '');
    }
  }

  function follow(slug: string | undefined): void {
    if (slug === undefined || followed !== undefined) return;
    followed = slug;
    const from = { since: startedAt, limit: '100' };
    followLog(api, slug, from, signal, (entry) =>
      call.out.item({ type: 'log', ...entry }, showEntry(entry, call.out.paint)),
    ).catch((error: unknown) => {
      followed = undefined;
      call.out.error(error instanceof Error ? error.message : String(error));
    });
  }

  // Start watching before the first push, so no save is missed.
  const watching = watchFiles(folder, PAGE_FILES, signal, pushOnce);
  await pushOnce();
  call.out.note(`Watching ${folder}. Press Ctrl-C to stop.`);
  await watching;
}
