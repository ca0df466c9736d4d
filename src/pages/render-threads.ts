import { availableParallelism } from 'node:os';
import type { Rendered, RenderInput } from './render.ts';

export type RenderReply = { rendered: Rendered } | { problem: string };

const DEADLINE_MS = 20_000;
const IDLE_MS = 60_000;

/** One processor is for the thread that serves. */
export const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Threads that render large pages, so that the one that serves does not wait for them. */
export interface RenderThreads {
  /** Renders in a thread of its own; at most `MAX_THREADS` at once. */
  render(input: RenderInput): Promise<Rendered>;
  stop(): void;
}

export function createRenderThreads(): RenderThreads {
  const idle = new Map<Worker, Timer>();
  const all = new Set<Worker>();

  function take(): Worker {
    const [rested] = idle.keys();
    if (!rested) {
      const started = new Worker(new URL('./render.worker.ts', import.meta.url));
      all.add(started);
      return started;
    }
    clearTimeout(idle.get(rested));
    idle.delete(rested);
    rested.ref();
    return rested;
  }

  function rest(thread: Worker): void {
    thread.unref();
    const ending = setTimeout(() => end(thread), IDLE_MS);
    ending.unref();
    idle.set(thread, ending);
  }

  function end(thread: Worker): void {
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    all.delete(thread);
    thread.terminate();
  }

  return {
    render(input) {
      const thread = take();
      return new Promise<Rendered>((resolve, reject) => {
        const fail = (why: string) => {
          clearTimeout(deadline);
          end(thread);
          reject(new Error(`Page ${input.page.id} was not rendered: ${why}`));
        };
        const deadline = setTimeout(() => fail('it took too long'), DEADLINE_MS);
        thread.onerror = (event) => fail(event.message);
        thread.onmessage = ({ data }: MessageEvent<RenderReply>) => {
          if ('problem' in data) return fail(data.problem);
          clearTimeout(deadline);
          rest(thread);
          resolve(data.rendered);
        };
        thread.postMessage(input);
      });
    },
    stop() {
      for (const thread of [...all]) end(thread);
    },
  };
}
