import type { Api } from '../client/api.ts';
import type { Call } from '../command.ts';
import { push, sayFiles } from '../pages/push.ts';
import type { PageFolder } from '../project/folder.ts';
import { printable } from '../terminal/colours.ts';
import type { Saved, Saver } from './saver.ts';

/** Publishes a folder on every save. */
export class LiveSaver implements Saver {
  #isForced: boolean;

  constructor(
    private readonly api: Api,
    private readonly call: Call,
  ) {
    this.#isForced = call.flag('force');
  }

  async save(page: PageFolder): Promise<Saved> {
    const { out } = this.call;
    const published = await push(this.api, page, { doubts: 'refuse', isForced: this.#isForced, out });
    this.#isForced = false;
    const { action, page: made, files, warnings } = published;
    const time = new Date().toTimeString().slice(0, 8);
    const sent = files?.sent || files?.removed ? `, ${sayFiles(published)}` : '';
    out.item(
      { type: 'push', ...published },
      `${out.paint.dim(time)} ${out.paint.green(action.padEnd(9))} ${printable(made.url)} (version ${made.version})${sent}`,
    );
    // With the version, the page knows whether a newer one came before it could follow.
    const url = `${made.url}?quire-dev=${made.version}`;
    return { url, warnings, functions: page.functions.map(({ fields }) => fields.slug) };
  }

  end(): void {}
}
