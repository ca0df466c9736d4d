import { parseScheduled } from './protocol.ts';
import { collectWork } from './wait-until.ts';

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
  const work = collectWork(ctx);
  const handler = target();
  if (typeof handler.scheduled !== 'function') throw new TypeError('the module has no scheduled function');
  const controller: Controller = { type: 'scheduled', ...parseScheduled(event), noRetry: () => undefined };
  work.add(handler.scheduled(controller, env, ctx));
  await work.end();
}
