import { describe, expect, test } from 'bun:test';
import { createCircuit } from './circuit.ts';
import { DEADLINES } from './deadlines.ts';
import { ProviderError, VendorFailure } from './failures.ts';
import { guardCall } from './guard.ts';

/** A call with a chosen outcome, a clock that the test moves, and a count of the calls that came through. */
function setUp() {
  let nowMs = 1_000_000;
  let calls = 0;
  const circuit = createCircuit({ now: () => nowMs });
  type Request = { outcome: 'well' | 'fails' | 'refuses' | 'hangs'; signal: AbortSignal };
  const call = guardCall(
    async ({ outcome, signal }: Request) => {
      calls++;
      if (outcome === 'fails') throw new VendorFailure('broken', 500);
      if (outcome === 'refuses') throw new VendorFailure('no', 400);
      if (outcome === 'hangs') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      return 'done';
    },
    { circuit, deadlines: DEADLINES },
  );
  const signal = new AbortController().signal;
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    calls: () => calls,
    hang: (visitor: AbortSignal) => call({ outcome: 'hangs', signal: visitor }),
    /** The outcome of a call: its result, or its error. */
    attempt: (outcome: Request['outcome']) =>
      call({ outcome, signal }).catch((error: ProviderError) => error.message),
  };
}

const BROKEN = 'The provider could not answer.';
const OPEN = 'The provider has failed several times. Try again in a minute.';

describe('a circuit', () => {
  test('opens after five failures, sends nothing for 30 s, then lets one call through and closes', async () => {
    const { attempt, calls, pass } = setUp();
    for (let n = 0; n < 5; n++) expect(await attempt('fails')).toBe(BROKEN);
    expect(await attempt('well')).toBe(OPEN);
    pass(29_999);
    expect(await attempt('well')).toBe(OPEN);
    expect(calls()).toBe(5);
    pass(1);
    expect(await attempt('well')).toBe('done');
    for (let n = 0; n < 4; n++) expect(await attempt('fails')).toBe(BROKEN);
    expect(await attempt('well')).toBe('done');
  });

  test('stays closed after four failures', async () => {
    const { attempt } = setUp();
    for (let n = 0; n < 4; n++) await attempt('fails');
    expect(await attempt('well')).toBe('done');
  });

  test('opens again when the call that was let through fails', async () => {
    const { attempt, calls, pass } = setUp();
    for (let n = 0; n < 5; n++) await attempt('fails');
    pass(30_000);
    expect(await attempt('fails')).toBe(BROKEN);
    expect(await attempt('well')).toBe(OPEN);
    pass(29_999);
    expect(await attempt('well')).toBe(OPEN);
    expect(calls()).toBe(6);
    pass(1);
    expect(await attempt('well')).toBe('done');
  });

  test('lets only one call through at a time, and another when that one was cancelled', async () => {
    const { attempt, hang, pass } = setUp();
    for (let n = 0; n < 5; n++) await attempt('fails');
    pass(30_000);
    const visitor = new AbortController();
    const hanging = hang(visitor.signal);
    expect(await attempt('well')).toBe(OPEN);
    visitor.abort(new Error('gone'));
    await expect(hanging).rejects.toThrow('gone');
    expect(await attempt('well')).toBe('done');
  });

  test('forgets failures that are a minute old, or followed by a success', async () => {
    const { attempt, pass } = setUp();
    for (let n = 0; n < 4; n++) await attempt('fails');
    pass(60_000);
    expect(await attempt('fails')).toBe(BROKEN);
    expect(await attempt('well')).toBe('done');
    for (let n = 0; n < 4; n++) await attempt('fails');
    expect(await attempt('well')).toBe('done');
  });

  test('still counts failures that are a little less than a minute old', async () => {
    const { attempt, pass } = setUp();
    for (let n = 0; n < 4; n++) await attempt('fails');
    pass(59_999);
    await attempt('fails');
    expect(await attempt('well')).toBe(OPEN);
  });

  test('is opened neither by visitors who disconnect nor by requests that the provider refuses', async () => {
    const { attempt, hang } = setUp();
    for (let n = 0; n < 6; n++) await attempt('refuses');
    for (let n = 0; n < 6; n++) {
      const visitor = new AbortController();
      const hanging = hang(visitor.signal);
      visitor.abort(new Error('gone'));
      await expect(hanging).rejects.toThrow('gone');
    }
    expect(await attempt('well')).toBe('done');
  });

  test('reports that the provider failed', () => {
    const circuit = createCircuit({ failures: 1 });
    circuit.enter().failed();
    expect(() => circuit.enter()).toThrow(ProviderError);
    expect(() => circuit.enter()).toThrow(expect.objectContaining({ kind: 'failed' }));
  });
});
