import { randomSecret } from '../../lib/secrets.ts';

/** Passes what the egress prints about a failed request to the cell that made it. */
interface Refusals {
  /** Makes a key for a cell; `log` gets a line for each of its requests that failed, and for refusals on its lane. */
  admit(lane: number, log: (line: string) => void): { key: string; release(): void };
  /** Takes a line that the egress printed. */
  line(line: string): void;
}

/** What stands before a line of ours about a cell; owner code prints JSON alone. */
export const EGRESS_LINE = 'quire-egress: ';

/** A reason and the request it is about come a moment apart, in either order; of those that never meet, few are kept. */
const MAX_WAITING = 1_000;

interface Failure {
  cell: string;
  to: string;
  error: string;
}

export function createRefusals(): Refusals {
  const cells = new Map<string, { lane: number; log(line: string): void }>();
  const reasons = createWaiting<string>();
  const failures = createWaiting<Failure>();

  function logFailure({ cell, to, error }: Failure, reason: string): void {
    cells.get(cell)?.log(`${EGRESS_LINE}fetch to ${to} ${explain(reason, error)}`);
  }

  return {
    admit(lane, log) {
      const key = randomSecret();
      cells.set(key, { lane, log });
      return { key, release: () => void cells.delete(key) };
    },
    line(line) {
      const message = messageOf(line);
      const reference = /wdErrId = (\w+)/.exec(message)?.[1];
      if (reference) {
        const reason = /failed: ([^\n]*)/.exec(message)?.[1] ?? '';
        const failure = failures.take(reference);
        if (failure) logFailure(failure, reason);
        else reasons.put(reference, reason);
        return;
      }
      const excess = toExcess(message);
      if (excess) {
        // The egress knows only the owner, so all of the owner's cells log it.
        for (const cell of cells.values())
          if (cell.lane === excess.lane) cell.log(`${EGRESS_LINE}${explainExcess(excess)}`);
        return;
      }
      const failure = toFailure(message);
      if (!failure) return;
      const awaited = /reference = (\w+)/.exec(failure.error)?.[1];
      if (!awaited) return logFailure(failure, '');
      const reason = reasons.take(awaited);
      if (reason === undefined) failures.put(awaited, failure);
      else logFailure(failure, reason);
    },
  };
}

function explain(reason: string, error: string): string {
  const refused = /connecting to (\S+) is not allowed/.exec(reason)?.[1];
  if (refused) return `was refused: ${refused} is not a public address.`;
  if (reason.includes('lookup address')) return 'failed: there is no such name.';
  if (/TLS|certificate/i.test(reason)) return 'failed: its certificate is not trusted.';
  return `failed: ${reason === '' ? error : 'it could not be reached.'}`;
}

function messageOf(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

/** What the lanes print of a connection that was one too many. */
interface Excess {
  lane: number;
  whose: 'owner' | 'all';
  limit: number;
}

function toExcess(message: string): Excess | undefined {
  return message.startsWith('{"lane":') ? (JSON.parse(message) as Excess) : undefined;
}

function explainExcess({ whose, limit }: Excess): string {
  const number = limit.toLocaleString('en');
  return whose === 'owner'
    ? `a connection was refused: your functions have ${number} open, which is the limit for one owner.`
    : `a connection was refused: functions have ${number} open, which is the limit.`;
}

/** What the guard prints of a request that failed. */
function toFailure(message: string): Failure | undefined {
  if (!message.startsWith('{"cell":')) return undefined;
  try {
    const { cell, to, error } = JSON.parse(message) as Partial<Record<keyof Failure, unknown>>;
    return typeof cell === 'string' ? { cell, to: String(to), error: String(error) } : undefined;
  } catch {
    // A line that was cut for its length.
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
