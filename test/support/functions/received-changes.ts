import { createHmac } from 'node:crypto';

/** A change as a function or an address gets it. */
export interface ReceivedChange {
  type: string;
  action: 'create' | 'update' | 'delete';
  collection: string;
  record: { id: string; data: Record<string, unknown> } | null;
  before: { id: string; data: Record<string, unknown> } | null;
  by: { id: number; username: string };
}

export interface ReceivedChanges {
  /** Where changes are sent. */
  url: string;
  got: ReceivedChange[];
  /** The requests that came with the header of a signature. */
  signed: Array<{ headers: Headers; body: string }>;
  /** The status of the next answers; 200 when there are none left. */
  answers: number[];
  /** The code of a function that sends what it gets here, and then does what `then` says for each change. */
  code(then?: string): string;
  until(isDone: (got: ReceivedChange[]) => boolean): Promise<void>;
  stop(): void;
}

/** A server that gets changes, from functions and as an address of a trigger. */
export function receiveChanges(): ReceivedChanges {
  const got: ReceivedChange[] = [];
  const signed: ReceivedChanges['signed'] = [];
  const answers: number[] = [];
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const isSigned = request.headers.has('x-quire-signature');
      if (isSigned) signed.push({ headers: request.headers, body });
      const status = (isSigned && answers.shift()) || 200;
      if (status === 200) got.push(...[JSON.parse(body)].flat());
      for (const look of waiting) look();
      return new Response('done', { status });
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  return {
    ...{ url, got, signed, answers },
    code: (then = '') => `export default {
      async fetch() { return Response.json({ success: true }); },
      async queue(batch, env) {
        const changes = batch.messages.map(({ body }) => body);
        await (await fetch('${url}', { method: 'POST', body: JSON.stringify(changes) })).text();
        for (const change of changes) { ${then} }
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
    stop: () => void server.stop(true),
  };
}

/** The signature that a request must have. */
export const sign = (secret: string, timestamp: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
