import type { Failure } from '../failures.ts';

/** WebSockets of one function on one node. */
export const MAX_SOCKETS = 1_000;
/** WebSockets of one function from one IP address: a stranger must not use them all up. */
const MAX_SOCKETS_PER_CALLER = 250;

/** Why a function cannot have so many WebSockets and `more`, if so. */
export function socketRefusal(
  { total, ofCaller }: { total: number; ofCaller: number },
  more: number,
): Failure | undefined {
  if (total + more > MAX_SOCKETS) return refusal(`The function has ${MAX_SOCKETS} open WebSockets`);
  if (ofCaller + more <= MAX_SOCKETS_PER_CALLER) return undefined;
  return refusal(`The function has ${MAX_SOCKETS_PER_CALLER} open WebSockets from your address`);
}

function refusal(fact: string): Failure {
  const error = `${fact}, which is the limit. Try again when some of them are closed.`;
  return { status: 503, error, headers: { 'retry-after': '5' } };
}
