import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { followLog, showEntry } from '../functions/log.ts';
import type { Published } from '../pages/publish.ts';
import { push, sayFiles } from '../pages/push.ts';
import { printWarnings } from '../pages/warnings.ts';
import { readPageFolder } from '../project/folder.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { printable } from '../terminal/colours.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { SourceError, showFault } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';
import { FolderWatch } from './watch.ts';

export const dev: Command = {
  name: 'dev',
  usage: '<folder>',
  args: [1, 1],
  summary: 'push a page on every save, reload it in the browser, and show errors with their line',
  options: {
    force: {
      type: 'boolean',
      summary:
        "first overwrite someone else's newer version, or a page or function that was not pushed from this folder",
    },
    open: { type: 'boolean', summary: 'open the page in a browser, if there is a display' },
    ...SERVER_OPTION,
  },
  notes: `Watches all files of the folder except those that .quireignore names, and follows the log of the page's function.
The page reloads by itself in a browser that opened it with ?quire-dev and is logged in. Press Ctrl-C to stop. With --json, prints one line for each push and each log entry.`,
  async run(call) {
    const api = await connect(call);
    const [folder = ''] = call.args;
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw new CommandError(`The folder ${folder} does not exist.`, EXIT.notFound);
    await onInterrupt((signal) => develop(api, folder, call, signal));
  },
};

async function develop(api: Api, folder: string, call: Call, signal: AbortSignal): Promise<void> {
  const key = await readMemoryKey(call.environment);
  const session = new DevSession(api, folder, call, key, signal);
  // Start watching before the first push, so no save is missed.
  const watching = new FolderWatch(folder, () => session.push());
  const stop = () => watching.stop();
  signal.addEventListener('abort', stop);
  await watching.start();
  await session.push();
  call.out.note(`Watching ${folder}. Press Ctrl-C to stop.`);
  if (signal.aborted) stop();
  await watching.ended;
}

/** Pushes a folder again and again, and shows what happens. */
class DevSession {
  readonly #startedAt = new Date().toISOString();
  #isForced: boolean;
  /** The function whose log is shown. */
  #followed: string | undefined;
  #isInvited = false;

  constructor(
    private readonly api: Api,
    private readonly folder: string,
    private readonly call: Call,
    private readonly key: Uint8Array,
    private readonly signal: AbortSignal,
  ) {
    this.#isForced = call.flag('force');
  }

  async push(): Promise<void> {
    const { out } = this.call;
    try {
      const page = await readPageFolder(this.folder);
      const published = await push(this.api, page, {
        doubts: 'refuse',
        isForced: this.#isForced,
        key: this.key,
        out,
      });
      this.#isForced = false;
      printWarnings(out, join(this.folder, page.file), page.html, published.warnings);
      this.#say(published);
      this.#follow(page.settings.function?.slug);
      this.#invite(published.page);
    } catch (error) {
      // After an error response, an error in a file or an unavailable server, the next save tries again.
      if (!(error instanceof CommandError)) throw error;
      const isInSource = error instanceof SourceError;
      out.error(isInSource ? showFault(error.fault, error.place, out.paintError) : error.message);
      if (out.isJson) out.item({ type: 'error', error: error.message, ...error.details }, '');
    }
  }

  #say(published: Published): void {
    const { out } = this.call;
    const { action, page, files } = published;
    const time = new Date().toTimeString().slice(0, 8);
    const sent = files?.sent || files?.removed ? `, ${sayFiles(published)}` : '';
    out.item(
      { type: 'push', ...published },
      `${out.paint.dim(time)} ${out.paint.green(action.padEnd(9))} ${printable(page.url)} (version ${page.version})${sent}`,
    );
  }

  /** Shows once how to see the page reload. It does so only with this mark, and for people who can change it. */
  #invite({ url: page, version }: Published['page']): void {
    if (this.#isInvited) return;
    this.#isInvited = true;
    // With the version, the page knows whether a newer one came before it could follow.
    const url = `${page}?quire-dev=${version}`;
    if (this.call.flag('open')) openInBrowser(this.call.environment, url);
    this.call.out.note(`Open ${printable(url)} to see each push at once.`);
  }

  #follow(slug: string | undefined): void {
    if (slug === undefined || this.#followed !== undefined) return;
    this.#followed = slug;
    const { out } = this.call;
    const from = { since: this.#startedAt, limit: '100' };
    followLog(this.api, slug, from, this.signal, (entry) =>
      out.item({ type: 'log', ...entry }, showEntry(entry, out.paint)),
    ).catch((error: unknown) => {
      this.#followed = undefined;
      out.error(error instanceof Error ? error.message : String(error));
    });
  }
}
