import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileEndpoints } from '../../../contract/pages/files/file-endpoints.ts';
import type { PageFile } from '../../../contract/pages/files/page-file.ts';
import { type Api, refusal } from '../../client/api.ts';
import { IdleTimer } from '../../client/idle-timer.ts';
import { inParallel } from '../../project/files/in-parallel.ts';
import { removeInside } from '../../project/texts.ts';
import { saySize } from '../../terminal/amounts.ts';
import type { Output } from '../../terminal/output.ts';
import { CommandError, EXIT } from '../../usage.ts';
import type { PullPlan } from './compare.ts';

const AT_ONCE = 6;
const IDLE_MS = 60_000;

/** Downloads of one version of a page. Nothing in the folder changes until all of them are complete. */
export class Downloads {
  /** The dot keeps it out of pushes, if this process is killed before it is removed. */
  readonly #waiting: string;

  constructor(
    private readonly api: Api,
    private readonly folder: string,
    private readonly page: { id: number; version: number },
    private readonly plan: PullPlan,
  ) {
    this.#waiting = join(folder, `.quire-pull-${randomBytes(8).toString('hex')}`);
  }

  async fetch(out: Output): Promise<void> {
    const { write } = this.plan;
    if (write.length === 0) return;
    await mkdir(this.#waiting);
    const total = write.reduce((sum, { size }) => sum + size, 0);
    const progress = out.progress('downloading', total);
    let done = 0;
    try {
      await inParallel(AT_ONCE, [...write.entries()], async ([index, file]) => {
        await this.#fetchOne(file, join(this.#waiting, String(index)));
        done += file.size;
        progress.at(done, `${saySize(done)} of ${saySize(total)}`);
      });
    } finally {
      progress.end();
    }
  }

  /** Moves the files to their places. */
  async place(): Promise<void> {
    for (const name of this.plan.remove) await removeInside(this.folder, name);
    for (const [index, { name }] of this.plan.write.entries()) {
      const path = join(this.folder, name);
      await makeFolders(this.folder, dirname(name));
      // An empty folder can be where a file was removed from.
      await rmdir(path).catch(() => undefined);
      // A link at the path is replaced, never followed.
      await rename(join(this.#waiting, String(index)), path).catch((error: Error) => {
        throw new CommandError(`Cannot write ${path}: ${error.message}`);
      });
    }
  }

  async end(): Promise<void> {
    await rm(this.#waiting, { recursive: true, force: true });
  }

  async #fetchOne({ path, size, hash }: PageFile, to: string): Promise<void> {
    const { id, version } = this.page;
    const idle = new IdleTimer(IDLE_MS);
    const response = await this.api.send(
      fileEndpoints.readPageFile,
      { params: { id, path }, query: { version } },
      { signal: idle.signal },
    );
    if (!response.ok) throw refusal(response, await response.text(), this.api.baseUrl);
    const hasher = new Bun.CryptoHasher('sha256');
    const file = await open(to, 'wx');
    let received = 0;
    try {
      for await (const chunk of response.body ?? []) {
        idle.touch();
        received += chunk.byteLength;
        if (received > size) break;
        hasher.update(chunk);
        for (let at = 0; at < chunk.byteLength; )
          at += (await file.write(chunk, at, chunk.byteLength - at)).bytesWritten;
      }
    } catch (error) {
      throw new CommandError(
        `${path} could not be downloaded from ${this.api.baseUrl}: ${(error as Error).message}`,
        EXIT.unreachable,
      );
    } finally {
      idle.stop();
      await file.close();
    }
    if (received === size && hasher.digest('hex') === hash) return;
    throw new CommandError(`${path} arrived with other contents than ${this.api.baseUrl} lists. Pull again.`);
  }
}

/** Creates the folders of a path one by one, and follows no link. */
async function makeFolders(folder: string, path: string): Promise<void> {
  let at = folder;
  for (const part of path === '.' ? [] : path.split('/')) {
    at = join(at, part);
    await mkdir(at).catch(() => undefined);
    if ((await lstat(at).catch(() => undefined))?.isDirectory()) continue;
    throw new CommandError(`${at} is not a folder. Move it, or pull into another folder.`, EXIT.conflict);
  }
}
