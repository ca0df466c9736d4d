import { expect, test } from 'bun:test';
import { Cancellations } from './cancellations.ts';

const cancelled = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });

test('cancels the call that is named, of the same client', () => {
  const cancellations = new Cancellations();
  const call = cancellations.begin('ada', 7);
  for (const [client, id] of [
    ['bob', 7],
    ['ada', 8],
    ['ada', '7'],
    ['ada', undefined],
  ] as const) {
    cancellations.cancel(client, cancelled(id));
  }
  cancellations.cancel('ada', { method: 'notifications/cancelled' });
  expect(call.signal.aborted).toBe(false);
  cancellations.cancel('ada', cancelled(7));
  expect(call.signal.aborted).toBe(true);
  call.end();
  expect(cancellations.size).toBe(0);
});

test('cancels nothing if two calls have the same id, until one of them has ended', () => {
  const cancellations = new Cancellations();
  const [one, other] = [cancellations.begin('ada', 0), cancellations.begin('ada', 0)];
  cancellations.cancel('ada', cancelled(0));
  expect([one.signal.aborted, other.signal.aborted]).toEqual([false, false]);
  one.end();
  cancellations.cancel('ada', cancelled(0));
  expect([one.signal.aborted, other.signal.aborted]).toEqual([false, true]);
  other.end();
  expect(cancellations.size).toBe(0);
});
