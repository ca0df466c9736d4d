import { z } from 'zod';
import { formatRun, MAX_DELAY_SECONDS, type QueueBatch } from '../../../../workers/protocol.ts';
import type { Cell, CellAnswer } from '../../../runtime/cells/index.ts';
import type { LiveFunction } from '../calls/registry.ts';
import { toStorable } from '../logs/lines.ts';
import { type Outcome, type RunContext, runHandler } from '../schedules/run.ts';
import type { Batch } from './batch.ts';
import type { BatchResult } from './settle.ts';

const CUT_OFF = {
  late: 'The messages were not done within 5 minutes.',
  place: 'The function was stopped after 30 seconds, because jobs of others were waiting.',
};

/** Characters of an error. It does not count towards the owner's quota. */
const MAX_ERROR = 1_000;

const Delay = z.int().min(0).max(MAX_DELAY_SECONDS).optional().catch(undefined);
/** The response of the shim, which runs beside the owner's code: that can have changed it. */
const Result = z.object({
  acked: z.array(z.string()),
  retried: z.array(z.object({ id: z.string(), delaySeconds: Delay })),
  error: z.string().nullable(),
});

/** A run of `queue`, and what it means for the messages. */
export interface BatchOutcome extends BatchResult {
  outcome: Outcome;
}

/** Gives a batch to the function's `queue`. */
export async function runBatch(
  runtime: RunContext,
  found: LiveFunction,
  batch: Batch,
  turn: { signal: AbortSignal; onBegun(): void },
): Promise<BatchOutcome> {
  const body = Buffer.from(writeBatch(found.slug, batch));
  const outcome = await runHandler(runtime, found, {
    ...turn,
    send: (cell) => send(cell, { body, round: batch.jobs[0]?.round ?? 0, signal: turn.signal }),
  });
  const said = readResult(outcome.answer);
  return {
    outcome,
    done: new Set(said?.acked.map(Number)),
    delays: new Map(
      said?.retried.flatMap(({ id, delaySeconds }) =>
        delaySeconds === undefined ? [] : [[Number(id), delaySeconds] as const],
      ),
    ),
    madePlace: outcome.cutOff === 'place',
    error: toStorable((said?.error ?? explain(outcome)).slice(0, MAX_ERROR)),
  };
}

/** Why the messages failed that the function neither acknowledged nor asked for again. */
export function explain({ cutOff, failure }: Outcome): string {
  if (cutOff === 'late' || cutOff === 'place') return CUT_OFF[cutOff];
  return failure?.logged ?? failure?.error ?? 'The function asked for another try.';
}

/** The body of the request to the function's process. Messages are JSON already, so they are not parsed. */
function writeBatch(queue: string, { jobs }: Batch): string {
  const messages = jobs.map(({ id, sent_at, tries, body }) => {
    const fields: Omit<QueueBatch['messages'][number], 'body'> = {
      id: String(id),
      timestamp: sent_at,
      attempts: tries,
    };
    return `${JSON.stringify(fields).slice(0, -1)},"body":${body}}`;
  });
  return `{"queue":${JSON.stringify(queue)},"messages":[${messages.join(',')}]}`;
}

async function send(
  cell: Cell,
  { body, round, signal }: { body: Buffer; round: number; signal: AbortSignal },
): Promise<CellAnswer> {
  // What the messages cause comes one round later.
  const run = round > 0 ? formatRun(round - 1) : undefined;
  const call = { caller: 'jobs', bodyBytes: body.length, isQueue: true, run, onTurn: () => undefined };
  const init = { method: 'POST', headers: {}, body: body as Uint8Array<ArrayBuffer>, signal };
  const answer = await cell.fetch('/', init, call);
  answer.stream?.done();
  await answer.stream?.body.cancel();
  return answer;
}

function readResult(answer: CellAnswer | undefined): z.infer<typeof Result> | undefined {
  if (!answer?.whole) return undefined;
  try {
    return Result.safeParse(JSON.parse(new TextDecoder().decode(answer.whole))).data;
  } catch {
    return undefined;
  }
}
