import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { useLoad } from '../../ui/index.ts';
import { getRestore, type RestoreState, type RestoreWish, restoreMoment } from './api.ts';

/** How often the progress of a restore is read, and how often it is looked for one that somebody else began. */
const PROGRESS_MS = 1_000;
const LOOK_MS = 15_000;

export interface Restoring {
  /** The restore that runs, or the last one. */
  last: RestoreState | undefined;
  /** What this screen has just asked for. */
  wish: RestoreWish | undefined;
  isRunning: boolean;
  /** Why the last wish was refused. */
  failure: Error | undefined;
  start(wish: RestoreWish): Promise<void>;
}

/** The restore of a page, also one that was begun elsewhere or before this screen was loaded again. */
export function useRestore(pageId: number, onEnd: () => Promise<void>): Restoring {
  const loaded = useLoad((signal) => getRestore(pageId, signal), [pageId]);
  const [wish, setWish] = useState<RestoreWish>();
  const [failure, setFailure] = useState<Error>();
  const last = loaded.value ?? undefined;
  const isElsewhere = last !== undefined && last.finished_at === null;
  const isRunning = wish !== undefined || isElsewhere;
  useEffect(() => {
    const look = async () => {
      // The next look finds what this one missed.
      const found = await getRestore(pageId).catch(() => undefined);
      if (found !== undefined) loaded.set(found);
    };
    const timer = setInterval(look, isRunning ? PROGRESS_MS : LOOK_MS);
    return () => clearInterval(timer);
  }, [pageId, isRunning]);
  // Whoever began it: when it ends, the page and its history are others.
  const ended = last?.finished_at;
  useEffect(() => {
    if (ended && Date.now() - Date.parse(ended) < LOOK_MS * 2) void onEnd();
  }, [ended]);
  const start = async (next: RestoreWish) => {
    setWish(next);
    setFailure(undefined);
    try {
      await restoreMoment(pageId, next);
    } catch (error) {
      setFailure(error as Error);
    } finally {
      await loaded.reload();
      setWish(undefined);
    }
  };
  // What failed halfway has a report of its own, with what was undone.
  const isReported = last?.step === 'undone' && failure instanceof ApiError && failure.code === 'UNAVAILABLE';
  return { last, wish, isRunning, failure: isReported ? undefined : failure, start };
}
