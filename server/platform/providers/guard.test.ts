import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createCircuit } from './circuit.ts';
import { DEADLINES } from './deadlines.ts';
import { guardCall, guardChat } from './guard.ts';
import type { ChatPart, ChatRequest } from './index.ts';

/** The real deadlines, on a clock that the test moves. */
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const REQUEST: ChatRequest = {
  system: '',
  messages: [],
  maxTokens: 10,
  signal: new AbortController().signal,
};
const USAGE: ChatPart = { type: 'usage', inputTokens: 1, outputTokens: 1 };
const say = (text: string): ChatPart => ({ type: 'text', text });

/** A provider that sends a part when the test says so, and ignores its signal. */
function createPuppet(circuit = createCircuit()) {
  const parts: Array<PromiseWithResolvers<ChatPart>> = [];
  const at = (index: number) => {
    parts[index] ??= Promise.withResolvers<ChatPart>();
    return parts[index];
  };
  let signal: AbortSignal | undefined;
  let given = 0;
  const guarded = guardChat(
    {
      async *chat(request) {
        signal = request.signal;
        for (let index = 0; ; index++) {
          const part = await at(index).promise;
          yield part;
          if (part.type === 'usage') return;
        }
      },
    },
    { circuit, deadlines: DEADLINES },
  );
  return {
    reader: guarded.chat(REQUEST)[Symbol.asyncIterator](),
    give: (part: ChatPart) => at(given++).resolve(part),
    isStopped: () => signal?.aborted,
  };
}

/** The current state of a promise: everything due has happened after a turn of the event loop. */
async function peekState(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.then(
    (value) => value,
    (error: { kind?: string }) => error.kind,
  );
  const turn = new Promise((resolve) => setImmediate(resolve, 'waiting'));
  return Promise.race([settled, turn]);
}

test('a chat times out after 60 s without a part, and the provider is stopped', async () => {
  const { reader, isStopped } = createPuppet();
  const next = reader.next();
  jest.advanceTimersByTime(59_999);
  expect(await peekState(next)).toBe('waiting');
  expect(isStopped()).toBe(false);
  jest.advanceTimersByTime(1);
  expect(await peekState(next)).toBe('timeout');
  expect(isStopped()).toBe(true);
});

test('a chat times out after 5 minutes in total', async () => {
  const { reader, give } = createPuppet();
  for (let minute = 0; minute < 5; minute++) {
    const next = reader.next();
    jest.advanceTimersByTime(59_000);
    give(say('more'));
    expect(await next).toEqual({ done: false, value: say('more') });
  }
  const next = reader.next();
  jest.advanceTimersByTime(4999);
  expect(await peekState(next)).toBe('waiting');
  jest.advanceTimersByTime(1);
  expect(await peekState(next)).toBe('timeout');
});

test('thinking parts count as progress, and are not shown', async () => {
  const { reader, give } = createPuppet();
  const next = reader.next();
  for (let thought = 0; thought < 3; thought++) {
    jest.advanceTimersByTime(59_000);
    give(say(''));
    expect(await peekState(next)).toBe('waiting');
  }
  give(say('So.'));
  expect(await next).toEqual({ done: false, value: say('So.') });
});

test('a slow reader does not count as a slow provider', async () => {
  const { reader, give } = createPuppet();
  give(say('a'));
  give(USAGE);
  expect(await reader.next()).toEqual({ done: false, value: say('a') });
  jest.advanceTimersByTime(120_000);
  expect(await reader.next()).toEqual({ done: false, value: USAGE });
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});

test('everything else times out after 60 s', async () => {
  const call = guardCall(() => new Promise<never>(() => undefined), {
    circuit: createCircuit(),
    deadlines: DEADLINES,
  });
  const work = call({ signal: REQUEST.signal });
  jest.advanceTimersByTime(59_999);
  expect(await peekState(work)).toBe('waiting');
  jest.advanceTimersByTime(1);
  expect(await peekState(work)).toBe('timeout');
});

test('failed chats open the circuit, and one that was read to its usage closes it', async () => {
  let nowMs = 0;
  const circuit = createCircuit({ failures: 2, now: () => nowMs });
  for (let chat = 0; chat < 2; chat++) {
    const next = createPuppet(circuit).reader.next();
    jest.advanceTimersByTime(60_000);
    expect(await peekState(next)).toBe('timeout');
  }
  await expect(createPuppet(circuit).reader.next()).rejects.toThrow('failed several times');
  nowMs += 30_000;
  const { reader, give } = createPuppet(circuit);
  give(USAGE);
  expect(await reader.next()).toEqual({ done: false, value: USAGE });
  await reader.return?.();
  expect(() => circuit.enter().abandoned()).not.toThrow();
});
