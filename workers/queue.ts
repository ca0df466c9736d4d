import { MAX_DELAY_SECONDS, type QueueBatch, type QueueResult } from './protocol.ts';
import { collectWork } from './wait-until.ts';

/** A handler that takes messages. */
export interface Consumer {
  queue?(batch: object, env: unknown, ctx: ExecutionContext): unknown;
}

/** Characters of the message of an exception. */
const MAX_ERROR = 1_000;

interface RetryOptions {
  delaySeconds?: unknown;
}

/** What the handler said of a message. The first thing that it says counts, as on Cloudflare Workers. */
type Decision = { retry: false } | { retry: true; delaySeconds: number | undefined };

/** Runs `queue` for a batch. Resolves also if it throws: messages that it has acknowledged before are done. */
export async function runQueue(
  request: Request,
  env: unknown,
  ctx: ExecutionContext,
  target: () => Consumer,
): Promise<{ result: QueueResult; thrown?: { value: unknown } }> {
  const { queue, messages } = (await request.json()) as QueueBatch;
  const decisions = new Map<string, Decision>();
  const decide = (id: string, decision: Decision) => {
    if (!decisions.has(id)) decisions.set(id, decision);
  };
  const ack = (id: string) => decide(id, { retry: false });
  const retry = (id: string, options?: RetryOptions) =>
    decide(id, { retry: true, delaySeconds: readDelay(options) });
  const each = (say: (id: string) => void) => {
    for (const { id } of messages) say(id);
  };
  const batch = {
    queue,
    messages: messages.map(({ id, timestamp, attempts, body }) => ({
      ...{ id, timestamp: new Date(timestamp), attempts, body },
      ack: () => ack(id),
      retry: (options?: RetryOptions) => retry(id, options),
    })),
    ackAll: () => each(ack),
    retryAll: (options?: RetryOptions) => each((id) => retry(id, options)),
  };
  let thrown: { value: unknown } | undefined;
  try {
    const work = collectWork(ctx);
    const handler = target();
    if (typeof handler.queue !== 'function') throw new TypeError('the module has no queue function');
    work.add(handler.queue(batch, env, ctx));
    await work.end();
  } catch (value) {
    thrown = { value };
  }
  for (const { id } of messages)
    decide(id, thrown ? { retry: true, delaySeconds: undefined } : { retry: false });
  return { result: toResult(decisions, thrown), ...(thrown && { thrown }) };
}

function toResult(decisions: Map<string, Decision>, thrown: { value: unknown } | undefined): QueueResult {
  const result: QueueResult = {
    acked: [],
    retried: [],
    error: thrown
      ? String((thrown.value as Error | null)?.message ?? thrown.value).slice(0, MAX_ERROR)
      : null,
  };
  for (const [id, decision] of decisions) {
    if (!decision.retry) result.acked.push(id);
    else result.retried.push({ id, delaySeconds: decision.delaySeconds });
  }
  return result;
}

function readDelay(options: RetryOptions | undefined): number | undefined {
  if (options?.delaySeconds === undefined) return undefined;
  const seconds = Number(options.delaySeconds);
  if (seconds >= 0 && seconds <= MAX_DELAY_SECONDS) return Math.ceil(seconds);
  throw new RangeError(`delaySeconds must be a number from 0 to ${MAX_DELAY_SECONDS}`);
}
