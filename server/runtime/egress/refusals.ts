import { z } from 'zod';
import type { EgressEvent } from '../../../workers/protocol.ts';
import { randomSecret } from '../../lib/secrets.ts';
import { internalErrorReference, parseConnectFailure, parseInternalError } from '../workerd/index.ts';

/** Logs what the egress prints about a failed request for the cell that sent it. */
interface Refusals {
  /** Creates a key for a cell. `log` is called for each of its failed requests, and for refusals on its lane. */
  admit(lane: number, log: (line: string) => void): { key: string; release(): void };
  /** Handles a line that the egress printed. */
  line(line: string): void;
}

/** The prefix of our own lines about a cell. Owner code prints only JSON, so it cannot print such a line. */
export const EGRESS_LINE = 'quire-egress: ';

/** A reason and its request arrive separately, in either order. This limits how many wait for their counterpart. */
const MAX_WAITING = 1_000;

type Failure = Extract<EgressEvent, { event: 'request-failed' }>;
type EgressRefusal = Extract<EgressEvent, { event: 'connection-refused' }>;

export function createRefusals(): Refusals {
  const cells = new Map<string, { lane: number; log(line: string): void }>();
  const reasons = createWaiting<string>();
  const failures = createWaiting<Failure>();

  function logFailure({ cell, to, error }: Failure, reason: string): void {
    if (cell !== null) cells.get(cell)?.log(`${EGRESS_LINE}fetch to ${to} ${explain(reason, error)}`);
  }

  /** Logs a refusal for all cells of its owner, because the egress knows only the owner. */
  function logRefusal(refusal: EgressRefusal): void {
    for (const cell of cells.values())
      if (cell.lane === refusal.lane) cell.log(`${EGRESS_LINE}${explainRefusal(refusal)}`);
  }

  function addReason({ reference, reason }: { reference: string; reason: string }): void {
    const failure = failures.take(reference);
    if (failure) logFailure(failure, reason);
    else reasons.put(reference, reason);
  }

  function addFailure(failure: Failure): void {
    const reference = internalErrorReference(failure.error);
    const reason = reference === undefined ? '' : reasons.take(reference);
    if (reference !== undefined && reason === undefined) failures.put(reference, failure);
    else logFailure(failure, reason ?? '');
  }

  return {
    admit(lane, log) {
      const key = randomSecret();
      cells.set(key, { lane, log });
      return { key, release: () => void cells.delete(key) };
    },
    line(line) {
      const message = readMessage(line);
      const internal = parseInternalError(message);
      if (internal) return addReason(internal);
      const event = parseEvent(message);
      if (event?.event === 'connection-refused') logRefusal(event);
      if (event?.event === 'request-failed') addFailure(event);
    },
  };
}

function explain(reason: string, error: string): string {
  if (reason === '') return `failed: ${error}`;
  const failure = parseConnectFailure(reason);
  switch (failure.code) {
    case 'not-public':
      return `was refused: ${failure.address} is not a public address.`;
    case 'no-such-name':
      return 'failed: there is no such name.';
    case 'untrusted-certificate':
      return 'failed: its certificate is not trusted.';
    case 'other':
      return 'failed: it could not be reached.';
  }
}

function explainRefusal({ over, limit }: EgressRefusal): string {
  const number = limit.toLocaleString('en');
  return over === 'owner'
    ? `a connection was refused: your functions have ${number} open, which is the limit for one owner.`
    : `a connection was refused: functions have ${number} open, which is the limit.`;
}

/** Extracts what a worker of the egress printed from workerd's structured log line. */
function readMessage(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

const Event = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('request-failed'),
    cell: z.string().nullable(),
    to: z.string(),
    error: z.string(),
  }),
  z.object({
    event: z.literal('connection-refused'),
    lane: z.number(),
    over: z.enum(['owner', 'total']),
    limit: z.number(),
  }),
]) satisfies z.ZodType<EgressEvent>;

/** Reads an event. Undefined for other lines, and for lines that were cut because they are too long. */
function parseEvent(message: string): EgressEvent | undefined {
  if (!message.startsWith('{')) return undefined;
  try {
    return Event.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

/** A map that forgets its oldest entry when it is full. */
function createWaiting<Value>() {
  const waiting = new Map<string, Value>();
  return {
    put(key: string, value: Value) {
      waiting.set(key, value);
      const [oldest] = waiting.keys();
      if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    },
    take(key: string): Value | undefined {
      const value = waiting.get(key);
      waiting.delete(key);
      return value;
    },
  };
}
