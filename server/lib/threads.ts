import type { ErrorCode, Fault } from '../../contract/errors.ts';
import { ENGLISH, type Sentence, type Text } from '../../contract/rules/texts/fill.ts';
import { AppError, diskFull } from './errors.ts';

/** A thread's reply, or why there is none. */
export type ThreadReply<Reply> = Reply | { problem: string };

/** Worker threads that keep heavy work off the thread that serves requests. */
export interface Threads<Request, Reply> {
  /**
   * Sends the request to an idle thread, or to a new one. Rejects with `failure` and the reason, and with 503 if there is
   * no reply in time.
   */
  ask(request: Request, options: { failure: Text; transfer?: ArrayBuffer[] }): Promise<Reply>;
  stop(): void;
}

const DEADLINE_MS = 20_000;
const IDLE_MS = 60_000;

/** Threads start when they are needed and end after a minute without work. Callers limit how many run at once. */
export function createThreads<Request, Reply extends object>(
  start: () => Worker,
  { deadlineMs = DEADLINE_MS } = {},
): Threads<Request, Reply> {
  const idle = new Map<Worker, Timer>();
  const all = new Set<Worker>();

  function take(): Worker {
    const [thread] = idle.keys();
    if (!thread) {
      const started = start();
      all.add(started);
      return started;
    }
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    thread.ref();
    return thread;
  }

  function release(thread: Worker): void {
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
    ask(request, { failure, transfer = [] }) {
      const thread = take();
      return new Promise((resolve, reject) => {
        const refuse = (error: Error) => {
          clearTimeout(deadline);
          end(thread);
          reject(error);
        };
        const fail = (why: string) => refuse(broken(failure, why));
        const deadline = setTimeout(() => refuse(tooSlow(failure)), deadlineMs);
        thread.onerror = (event) => fail(event.message);
        thread.onmessage = ({ data }: MessageEvent<ThreadReply<Reply>>) => {
          if ('problem' in data) return fail(data.problem);
          clearTimeout(deadline);
          release(thread);
          resolve(data);
        };
        thread.postMessage(request, transfer);
      });
    },
    stop() {
      for (const thread of [...all]) end(thread);
    },
  };
}

const broken = ({ text, values }: Text, why: string) => new Error(`${ENGLISH.say(text, values)}: ${why}`);

/** The work is limited, so a busy machine is the reason. */
const tooSlow = (failure: Text) =>
  new AppError(
    'UNAVAILABLE',
    '{failure}: it took too long, because this server is very busy. Try again in a moment.',
    { failure },
    { headers: { 'retry-after': '5' } },
  );

/** An error as text, to send out of a thread. */
export function toProblem(error: unknown): { problem: string } {
  return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** An expected error of a thread, in a form that can be sent out of it. */
export type Refusal =
  | { refused: { code: ErrorCode; said: Sentence; details: Fault[] } }
  | { isDiskFull: true };

/** An error to send out of a thread: expected ones for the caller, others for the log. */
export function toRefusal(error: unknown): ThreadReply<Refusal> {
  if (error instanceof AppError)
    return { refused: { code: error.code, said: error.text, details: error.details } };
  return (error as NodeJS.ErrnoException).code === 'ENOSPC' ? { isDiskFull: true } : toProblem(error);
}

/** The reply of a thread. Throws the error that the thread had. */
export function assertReply<Reply extends object>(reply: Reply | Refusal): Reply {
  if ('isDiskFull' in reply) throw diskFull();
  if (!('refused' in reply)) return reply as Reply;
  const { code, said, details } = (reply as Extract<Refusal, { refused: unknown }>).refused;
  throw new AppError(code, said.text, said.values, details.length > 0 ? { details } : {});
}
