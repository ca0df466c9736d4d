import { AppError } from '../../../lib/errors.ts';
import { ArchiveError, KeyError } from '../archive/archive-error.ts';
import { newestFirst } from '../kept/names.ts';
import { type BackupPlace, NoSpaceError } from '../kept/place.ts';
import { type DrillOptions, type Proven, proveArchive } from './prove.ts';

/** The result of a drill: what was proven, or what is wrong. */
export type Drill = { name: string; bytes: number; at: number; durationMs: number } & (
  | { proven: Proven; problem: null }
  | { proven: null; problem: string }
);

/** The name of the newest backup in a place. Undefined if there is none. */
export async function findNewest(place: BackupPlace, now: number): Promise<string | undefined> {
  return newestFirst(await place.list(), now)[0]?.name;
}

/** Proves a backup of a place. Fails only if it is stopped, without its key, or if the backup does not exist. */
export async function drillBackup(
  place: BackupPlace,
  name: string,
  options: DrillOptions & {
    now: () => number;
    see?: (stream: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;
  },
): Promise<Drill> {
  const found = await place.open(name);
  if (!found) throw new ArchiveError(`There is no backup ${name}.`);
  const body = found.body instanceof Blob ? found.body.stream() : found.body;
  const began = performance.now();
  const at = options.now();
  const say = () => ({ name, bytes: found.bytes, at, durationMs: Math.round(performance.now() - began) });
  try {
    const proven = await proveArchive(options.see?.(body) ?? body, options);
    return { ...say(), proven, problem: null };
  } catch (error) {
    options.signal?.throwIfAborted();
    const problem = explain(error);
    if (problem === undefined) throw error;
    return { ...say(), proven: null, problem };
  }
}

/** Why a backup is not proven. Undefined for errors that nobody expected. */
function explain(error: unknown): string | undefined {
  if (error instanceof KeyError) return undefined;
  const isExpected =
    error instanceof ArchiveError || error instanceof NoSpaceError || error instanceof AppError;
  return isExpected ? error.message : undefined;
}
