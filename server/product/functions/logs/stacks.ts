import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Bundler } from '../../../runtime/bundler/index.ts';
import { findSourceMap } from '../model/version-store.ts';
import { MappingShare } from './mapping-share.ts';

/** A place in a function's module, as V8 writes it. */
const FRAME = /\bfunction\.js:\d+:\d+/;
const MAX_KNOWN = 1_000;

/** A text that a version of a function printed. */
export interface Printed {
  functionId: number;
  version: number;
  entry: { message: string };
}

/** Replaces the places in what compiled functions print by the owner's own files, lines and columns. */
export class Stacks {
  /** Versions that run as they were sent, and need no mapping. */
  private readonly plain = new Set<string>();
  private readonly share = new MappingShare();

  constructor(private readonly options: { db: Db; bundler: Bundler; log: Log }) {}

  hasFrames(message: string): boolean {
    return FRAME.test(message);
  }

  /** Maps the places in entries. If that fails, the entries stay as they are. */
  async map(printed: Printed[]): Promise<void> {
    const byVersion = Map.groupBy(printed, ({ functionId, version }) => `${functionId}.${version}`);
    for (const [key, some] of this.share.inOrder(byVersion)) {
      if (this.plain.has(key) || !this.share.isFree(key)) continue;
      try {
        await this.mapVersion(key, some);
      } catch (error) {
        this.options.log.warn({ err: error }, 'the stacks of a function could not be mapped to its source');
      }
    }
  }

  private async mapVersion(key: string, printed: Printed[]): Promise<void> {
    const [first] = printed;
    if (!first) return;
    const { db, bundler } = this.options;
    const sourceMap = await findSourceMap(db, first.functionId, first.version);
    if (sourceMap === null) {
      if (this.plain.size >= MAX_KNOWN) this.plain.clear();
      this.plain.add(key);
      return;
    }
    this.share.count(key, sourceMap.length);
    const texts = await bundler.mapStacks(
      sourceMap,
      printed.map(({ entry }) => entry.message),
    );
    for (const [index, { entry }] of printed.entries()) entry.message = texts[index] ?? entry.message;
  }
}
