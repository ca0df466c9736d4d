import type { Circuit, Try } from './circuit.ts';
import { type Deadlines, startDeadline } from './deadlines.ts';
import { isRefusal, ProviderError, toProviderError } from './failures.ts';
import type { ChatPart, ChatProvider, ChatRequest } from './provider.ts';

export interface Guard {
  circuit: Circuit;
  deadlines: Deadlines;
}

/** Gives a chat its deadlines, its circuit, and failures that may be shown. */
export function guardChat(provider: ChatProvider, guard: Guard): ChatProvider {
  return { chat: (request) => guardParts(provider, request, guard) };
}

async function* guardParts(
  provider: ChatProvider,
  request: ChatRequest,
  { circuit, deadlines }: Guard,
): AsyncGenerator<ChatPart> {
  const attempt = settleOnce(circuit.enter());
  const deadline = startDeadline(request.signal, deadlines.chatTotalMs);
  const parts = provider.chat({ ...request, signal: deadline.signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await deadline.step(parts.next(), deadlines.chatIdleMs);
      if (next.done) break;
      // An empty text is a sign of life of a model that thinks before it speaks.
      if (next.value.type === 'text' && next.value.text === '') continue;
      if (next.value.type === 'usage') attempt.succeeded();
      yield next.value;
    }
    attempt.succeeded();
  } catch (error) {
    throw settle(error, deadline.signal, attempt);
  } finally {
    // A reader that leaves early comes here as well: the provider must not go on for nobody.
    deadline.stop();
    attempt.abandoned();
    parts.return?.()?.catch(() => undefined);
  }
}

/** Gives any other call to a provider the same. */
export function guardCall<Request extends { signal: AbortSignal }, Result>(
  call: (request: Request) => Promise<Result>,
  { circuit, deadlines }: Guard,
): (request: Request) => Promise<Result> {
  return async (request) => {
    const attempt = circuit.enter();
    const deadline = startDeadline(request.signal, deadlines.callMs);
    try {
      const result = await deadline.step(call({ ...request, signal: deadline.signal }), deadlines.callMs);
      attempt.succeeded();
      return result;
    } catch (error) {
      throw settle(error, deadline.signal, attempt);
    } finally {
      deadline.stop();
    }
  };
}

/** What to throw for a failure; the circuit learns of it, unless the visitor has left. */
function settle(error: unknown, signal: AbortSignal, attempt: Try): unknown {
  if (signal.aborted && !(signal.reason instanceof ProviderError)) {
    attempt.abandoned();
    return signal.reason;
  }
  if (isRefusal(error)) attempt.succeeded();
  else attempt.failed();
  return toProviderError(signal.aborted ? signal.reason : error);
}

/** Only the first ending counts: a chat has its usage before its end, and may be left by its reader at any part. */
function settleOnce(attempt: Try): Try {
  let isSettled = false;
  const once = (end: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    end();
  };
  return {
    succeeded: once(attempt.succeeded),
    failed: once(attempt.failed),
    abandoned: once(attempt.abandoned),
  };
}
