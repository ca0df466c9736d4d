import type { ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import type { Circuit, Try as CircuitTry } from './circuit.ts';
import { type Deadlines, startDeadline } from './deadlines.ts';
import { findReason } from './failure-reasons.ts';
import { isRefusal, ProviderError, toProviderError } from './failures.ts';
import type { ChatProvider, TurnPart, TurnProvider } from './provider.ts';

interface Try extends CircuitTry {
  /** The provider refused this one request, which says nothing about the others. */
  refused(): void;
}

export interface Guard {
  circuit: Circuit;
  deadlines: Deadlines;
  /** Called when a call has ended: with the reason if it failed, and with nothing if it worked. */
  onEnd?(reason: ProviderFailure | undefined): void;
}

/** Adds deadlines, a circuit breaker and safe error messages to a chat. */
export function guardChat(provider: ChatProvider, guard: Guard): ChatProvider {
  return { chat: (request) => guardParts<typeof request, TurnPart>(provider.chat, request, guard) };
}

/** Adds deadlines, a circuit breaker and safe error messages to a turn in a conversation with tools. */
export function guardTurns(provider: TurnProvider, guard: Guard): TurnProvider {
  return { turn: (request) => guardParts<typeof request, TurnPart>(provider.turn, request, guard) };
}

async function* guardParts<Request extends { signal: AbortSignal }, Part extends TurnPart>(
  open: (request: Request) => AsyncIterable<Part>,
  request: Request,
  guard: Guard,
): AsyncGenerator<Part> {
  const { deadlines } = guard;
  const attempt = settleOnce(enter(guard));
  const deadline = startDeadline(request.signal, deadlines.chatTotalMs);
  const parts = open({ ...request, signal: deadline.signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await deadline.step(parts.next(), deadlines.chatIdleMs);
      if (next.done) break;
      if (next.value.type === 'text' && next.value.text === '') continue;
      if (next.value.type === 'usage') attempt.succeeded();
      yield next.value;
    }
    attempt.succeeded();
  } catch (error) {
    throw settle(error, deadline.signal, attempt, guard);
  } finally {
    // Also runs if the reader leaves early: the provider must not continue without a reader.
    deadline.stop();
    attempt.abandoned();
    parts.return?.()?.catch(() => undefined);
  }
}

/** Adds a deadline, a circuit breaker and safe error messages to any other call to a provider. */
export function guardCall<Request extends { signal: AbortSignal }, Result>(
  call: (request: Request) => Promise<Result>,
  guard: Guard,
): (request: Request) => Promise<Result> {
  const { deadlines } = guard;
  return async (request) => {
    const attempt = enter(guard);
    const deadline = startDeadline(request.signal, deadlines.callMs);
    try {
      const result = await deadline.step(call({ ...request, signal: deadline.signal }), deadlines.callMs);
      attempt.succeeded();
      return result;
    } catch (error) {
      throw settle(error, deadline.signal, attempt, guard);
    } finally {
      deadline.stop();
    }
  };
}

/** Begins a call, and reports its success. `settle` reports a failure with its reason. */
function enter({ circuit, onEnd }: Guard): Try {
  const attempt = circuit.enter();
  const succeeded = () => {
    attempt.succeeded();
    onEnd?.(undefined);
  };
  return { ...attempt, succeeded, refused: attempt.succeeded };
}

/** Returns the error to throw, and reports the failure to the circuit unless the visitor has left. */
function settle(error: unknown, signal: AbortSignal, attempt: Try, { onEnd }: Guard): unknown {
  if (signal.aborted && !(signal.reason instanceof ProviderError)) {
    attempt.abandoned();
    return signal.reason;
  }
  const cause = signal.aborted ? signal.reason : error;
  const reason = findReason(cause);
  onEnd?.(reason);
  if (isRefusal(error)) attempt.refused();
  else attempt.failed();
  return toProviderError(cause, reason);
}

/** Only the first outcome counts: a chat reports its usage before its end, and its reader can leave at any part. */
function settleOnce(attempt: Try): Try {
  let isSettled = false;
  const once = (end: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    end();
  };
  return {
    succeeded: once(attempt.succeeded),
    refused: once(attempt.refused),
    failed: once(attempt.failed),
    abandoned: once(attempt.abandoned),
  };
}
