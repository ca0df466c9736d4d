import { parseScheduled } from './protocol.ts';

/** A handler that can run on a schedule. */
export interface Scheduled {
  scheduled?(controller: Controller, env: unknown, ctx: ExecutionContext): unknown;
}

/** What the handler learns about its run, as on Cloudflare Workers. */
interface Controller {
  readonly type: 'scheduled';
  readonly cron: string;
  readonly scheduledTime: number;
  noRetry(): void;
}

/** Runs `scheduled`, and everything that it gives to `waitUntil`. Fails if any of these fails. */
export async function runScheduled(
  event: string,
  env: unknown,
  ctx: ExecutionContext,
  target: () => Scheduled,
): Promise<void> {
  const work: unknown[] = [];
  // Promises are not passed on to workerd: it would go on when the server has cut off the run.
  ctx.waitUntil = (promise: unknown) => {
    // The promise is awaited later, and must not count as unhandled until then.
    Promise.resolve(promise).catch(() => undefined);
    work.push(promise);
  };
  const handler = target();
  if (typeof handler.scheduled !== 'function') throw new TypeError('the module has no scheduled function');
  const controller: Controller = { type: 'scheduled', ...parseScheduled(event), noRetry: () => undefined };
  work.push(handler.scheduled(controller, env, ctx));
  // The work can add more. All of it ends before the first failure is reported.
  const failures: unknown[] = [];
  for (let done = 0; done < work.length; done++) {
    try {
      await work[done];
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}
