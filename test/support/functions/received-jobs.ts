import type { TestUser } from '../app.ts';
import type { FunctionApp } from './app.ts';

/** What a function has got as messages. */
export interface ReceivedJobs {
  /** Each message that was delivered, as `<attempts> <body>`. */
  got: string[];
  /** The sizes of the batches. */
  batches: number[];
  /** From now on, batches wait for `release`. */
  hold(): void;
  release(): void;
  /** Code that reports its batches here before it does what `then` says, and sends what it is called with. */
  code(then?: string): string;
  until(isDone: (got: string[]) => boolean): Promise<void>;
  stop(): void;
}

/** A server that functions call when they get messages. */
export function receiveJobs(): ReceivedJobs {
  const got: string[] = [];
  const batches: number[] = [];
  let held: PromiseWithResolvers<void> | undefined;
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const messages = (await request.json()) as Array<{ attempts: number; body: unknown }>;
      batches.push(messages.length);
      for (const { attempts, body } of messages) got.push(`${attempts} ${body}`);
      for (const look of waiting) look();
      await held?.promise;
      return new Response('done');
    },
  });
  return {
    got,
    batches,
    hold() {
      held ??= Promise.withResolvers();
    },
    release() {
      held?.resolve();
      held = undefined;
    },
    code: (then = '') => `export default {
      async fetch(request, env) {
        const { batch, message, options } = await request.json();
        if (batch) await env.QUEUE.sendBatch(batch, options);
        else await env.QUEUE.send(message, options);
        return Response.json({ success: true });
      },
      async queue(batch, env, ctx) {
        const messages = batch.messages.map(({ attempts, body }) => ({ attempts, body }));
        await (await fetch('http://127.0.0.1:${server.port}/', { method: 'POST', body: JSON.stringify(messages) })).text();
        ${then}
      },
    };`,
    until(isDone) {
      if (isDone(got)) return Promise.resolve();
      return new Promise((resolve) => {
        const look = () => {
          if (!isDone(got)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      });
    },
    stop() {
      held?.resolve();
      server.stop(true);
    },
  };
}

/** Sends a message with a function that `ReceivedJobs.code` has made. */
export const send = (app: FunctionApp, slug: string, body: unknown) => app.call(slug, body);

/** The jobs of a function, as its owner sees them. */
export async function readJobs(owner: Pick<TestUser, 'call'>, slug: string, state = 'waiting') {
  return (await owner.call('GET', `/api/functions/${slug}/jobs?state=${state}`)).body;
}
