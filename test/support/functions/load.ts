import { waitUntil } from '../server.ts';
import type { FunctionServer } from './server.ts';

/** Load that continues while something else fails. */

/** The results of a client that calls a function repeatedly. */
export interface Calling {
  /** How often each status and body came. */
  answers: Map<string, number>;
  count: number;
  stop(): Promise<void>;
}

/** Clients pause between calls, so that the failing part gets the processor. */
const PAUSE_MS = 20;

export function keepCalling(server: FunctionServer, slug: string, callers = 1, pauseMs = PAUSE_MS): Calling {
  const answers = new Map<string, number>();
  let isOver = false;
  const calling: Calling = { answers, count: 0, stop };
  const running = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const answer = await server
        .call(slug)
        .then(
          ({ status, body }) => `${status} ${typeof body === 'string' ? body : JSON.stringify(body)}`,
          String,
        );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      calling.count++;
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
  });
  async function stop(): Promise<void> {
    isOver = true;
    await Promise.all(running);
  }
  return calling;
}

/** A function that stores its input as a row. */
export const KEEPER = `export default { async fetch(request, env) {
  await env.DB.prepare('INSERT INTO rows (id) VALUES (?)').bind(await request.json()).run();
  return new Response('kept');
} };`;

/** A client that writes one row after the other, and remembers which were acknowledged. */
export interface Writer {
  acknowledged: string[];
  tried: string[];
  /** Statuses of writes that were not acknowledged; 0 if there was no response. */
  failures: number[];
  stop(): Promise<void>;
}

/** Starts writers of unique rows through a function; those with `asSql` use the SQL endpoint. */
export function startWriter(server: FunctionServer, slug: string, options: { asSql?: boolean } = {}): Writer {
  const writer: Writer = { acknowledged: [], tried: [], failures: [], stop };
  let isOver = false;
  const send = (id: string) =>
    options.asSql
      ? server.sql(slug, 'INSERT INTO rows (id) VALUES (?)', [id])
      : server.call(slug, { body: id });
  const running = (async () => {
    while (!isOver) {
      const id = crypto.randomUUID();
      writer.tried.push(id);
      const status = await send(id).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) writer.acknowledged.push(id);
      else writer.failures.push(status);
      // An unavailable server refuses immediately: do not waste CPU time on retries.
      if (status !== 200) await Bun.sleep(5);
    }
  })();
  async function stop(): Promise<void> {
    isOver = true;
    await running;
  }
  return writer;
}

/** Waits until every writer has had a row acknowledged from now on. */
export async function allWriteAgain(writers: Writer[]): Promise<void> {
  const before = writers.map(({ acknowledged }) => acknowledged.length);
  await waitUntil(async () =>
    writers.every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0)),
  );
}

/** Compares acknowledged rows with existing ones: none is lost, and none exists twice. */
export async function lostAndDoubled(server: FunctionServer, slug: string, writers: Writer[]) {
  const ids: string[] = [];
  for (;;) {
    const page = 'SELECT id FROM rows ORDER BY rowid LIMIT 50000 OFFSET ?';
    const { body } = await server.sql(slug, page, [ids.length]);
    ids.push(...body.results.map(({ id }: { id: string }) => id));
    if (body.results.length < 50_000) break;
  }
  const there = new Set(ids);
  return {
    lost: writers.flatMap(({ acknowledged }) => acknowledged.filter((id) => !there.has(id))),
    doubled: ids.length - there.size,
  };
}
