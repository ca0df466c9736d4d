import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { followLog, showEntry } from '../functions/log.ts';
import { printWarnings } from '../pages/warnings.ts';
import { readPageFolder } from '../project/folder.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { printable } from '../terminal/colours.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { SourceError, showFault } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';
import { DraftSaver } from './draft.ts';
import { LiveSaver } from './live.ts';
import type { Saver } from './saver.ts';
import { FolderWatch } from './watch.ts';

export const dev: Command = {
  name: 'dev',
  usage: '<folder>',
  args: [1, 1],
  summary: 'save a page as a draft on every save, reload its preview, and show errors with their line',
  options: {
    live: { type: 'boolean', summary: 'publish on every save instead, with the functions in the folder' },
    force: {
      type: 'boolean',
      summary:
        "first overwrite someone else's newer version, or a page or function that was not pushed from this folder",
    },
    open: { type: 'boolean', summary: 'open the page in a browser, if there is a display' },
    ...SERVER_OPTION,
  },
  notes: `Watches all files of the folder except those that .quireignore names, and follows the logs of the page's functions.
Visitors do not see a draft, and anyone with the URL of its preview can. A draft calls the functions as they are on the
server. Press Ctrl-C to stop: the draft stays, and quire pages push publishes the folder. A folder that has no page yet
becomes one that is not published. With --live, the page reloads by itself in a browser that is logged in. With --json,
prints one line for each save and each log entry.`,
  async run(call) {
    const api = await connect(call);
    const [folder = ''] = call.args;
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw new CommandError(`The folder ${folder} does not exist.`, EXIT.notFound);
    await onInterrupt((signal) => develop(api, folder, call, signal));
  },
};

async function develop(api: Api, folder: string, call: Call, signal: AbortSignal): Promise<void> {
  const saver = call.flag('live') ? new LiveSaver(api, call) : new DraftSaver(api, call, folder);
  const session = new DevSession(api, folder, call, saver, signal);
  // Start watching before the first save, so none is missed.
  const watching = new FolderWatch(folder, () => session.save());
  const stop = () => watching.stop();
  signal.addEventListener('abort', stop);
  await watching.start();
  await session.save();
  call.out.note(`Watching ${folder}. Press Ctrl-C to stop.`);
  if (signal.aborted) stop();
  await watching.ended;
  saver.end();
}

/** Saves a folder again and again, and shows what happens. */
class DevSession {
  readonly #startedAt = new Date().toISOString();
  /** The functions whose logs are shown. */
  readonly #followed = new Set<string>();
  #isInvited = false;

  constructor(
    private readonly api: Api,
    private readonly folder: string,
    private readonly call: Call,
    private readonly saver: Saver,
    private readonly signal: AbortSignal,
  ) {}

  async save(): Promise<void> {
    const { out } = this.call;
    try {
      const page = await readPageFolder(this.folder);
      const saved = await this.saver.save(page);
      if (!saved) return;
      printWarnings(out, join(this.folder, page.file), page.html, saved.warnings);
      for (const slug of saved.functions) this.#follow(slug, saved.functions.length > 1);
      this.#invite(saved.url);
    } catch (error) {
      // After an error response, an error in a file or an unavailable server, the next save tries again.
      if (!(error instanceof CommandError)) throw error;
      const isInSource = error instanceof SourceError;
      out.error(isInSource ? showFault(error.fault, error.place, out.paintError) : error.message);
      if (out.isJson) out.item({ type: 'error', error: error.message, ...error.details }, '');
    }
  }

  /** Shows once how to see the page reload. */
  #invite(url: string): void {
    if (this.#isInvited) return;
    this.#isInvited = true;
    if (this.call.flag('open')) openInBrowser(this.call.environment, url);
    this.call.out.note(`Open ${printable(url)} to see each save at once.`);
  }

  #follow(slug: string, isNamed: boolean): void {
    if (this.#followed.has(slug)) return;
    this.#followed.add(slug);
    const { out } = this.call;
    const from = { since: this.#startedAt, limit: '100' };
    const prefix = isNamed ? `${printable(slug)} ` : '';
    followLog(this.api, slug, from, this.signal, (entry) =>
      out.item({ type: 'log', function: slug, ...entry }, prefix + showEntry(entry, out.paint)),
    ).catch((error: unknown) => {
      this.#followed.delete(slug);
      out.error(error instanceof Error ? error.message : String(error));
    });
  }
}
