import { createHmac } from 'node:crypto';
import type { Sealer } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { ExternalFetchError, type FetchExternal } from '../../../runtime/egress/index.ts';
import type { Batch } from '../jobs/batch.ts';
import type { JobRow } from '../jobs/message-store.ts';
import { type BatchOutcome, explain } from '../jobs/run.ts';
import type { CutOff, Outcome } from '../schedules/run.ts';
import { triggerContext } from './change.ts';
import { findTriggers, type TriggerRow } from './store.ts';

/** How long an address has to answer. */
const ANSWER_MS = 10_000;

interface DeliverContext {
  db: Db;
  now: () => number;
  sealer: Sealer;
  fetchExternal: FetchExternal;
}

/** Sends the messages of a batch to the URLs of their triggers, signed. Those of triggers that are gone are dropped. */
export function createDeliver(context: DeliverContext) {
  return async ({ jobs }: Batch, signal: AbortSignal): Promise<BatchOutcome> => {
    const ids = jobs.flatMap(({ trigger_id }) => trigger_id ?? []);
    const triggers = new Map((await findTriggers(context.db, ids)).map((row) => [row.id, row]));
    const results = await Promise.all(
      jobs.map(async (job) => {
        const trigger = triggers.get(job.trigger_id ?? 0);
        return { id: job.id, fault: trigger && (await post(context, trigger, job, signal)) };
      }),
    );
    const fault = results.find((each) => each.fault !== undefined)?.fault;
    const outcome: Outcome = signal.aborted
      ? { cutOff: signal.reason as CutOff }
      : { ...(fault !== undefined && { failure: { status: 502, error: fault } }) };
    return {
      outcome,
      done: new Set(results.filter((each) => each.fault === undefined).map(({ id }) => id)),
      delays: new Map(),
      madePlace: signal.reason === 'place',
      error: fault ?? explain(outcome),
    };
  };
}

/** Sends one message. Returns why it did not arrive; undefined if it did. */
async function post(
  { now, sealer, fetchExternal }: DeliverContext,
  { url, sealed_secret, function_id }: TriggerRow,
  { id, body }: JobRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (url === null || sealed_secret === null) return undefined;
  const timestamp = Math.floor(now() / 1000);
  const late = AbortSignal.timeout(ANSWER_MS);
  const { origin, pathname } = new URL(url);
  const say = (why: string) => `POST ${origin}${pathname}: ${why}.`;
  let secret: string;
  try {
    secret = sealer.open(sealed_secret, triggerContext(function_id));
  } catch {
    return say('its secret cannot be read with the key of this server. Remove the trigger and add it again');
  }
  try {
    const { status } = await fetchExternal(url, {
      ...{ accept: '*/*', maxBytes: 0, maxRedirects: 0, signal: AbortSignal.any([signal, late]) },
      post: {
        body,
        headers: {
          'content-type': 'application/json',
          'x-quire-delivery': String(id),
          'x-quire-timestamp': String(timestamp),
          'x-quire-signature': `sha256=${signMessage(secret, timestamp, body)}`,
        },
      },
    });
    return status >= 200 && status < 300 ? undefined : say(`the answer was ${status}`);
  } catch (error) {
    if (late.aborted) return say(`no answer within ${ANSWER_MS / 1000} seconds`);
    return say(error instanceof ExternalFetchError ? error.message : 'the connection broke');
  }
}

/** The signature of a message: HMAC-SHA256 of the time, a dot and the body. */
function signMessage(secret: string, timestamp: number, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}
