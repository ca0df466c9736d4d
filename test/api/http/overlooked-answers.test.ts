import { expect, test } from 'bun:test';
import { Overlooked, type TestResponse } from '../../support/http/call.ts';

/** The tests themselves: what the server refused during set-up must not stay unseen. */

const answer = (status: number): TestResponse => ({
  status,
  body: { error: 'Busy.' },
  headers: new Headers(),
});

test('a write that failed is an error, unless the test looks at its answer', async () => {
  const seen = new Overlooked();
  const { status } = await Promise.resolve(seen.watch('PATCH', '/a', answer(503)));
  expect(seen.watch('PUT', '/a', answer(503))).toMatchObject({ status: 503 });
  expect(status).toBe(503);
  for (const [method, done] of [
    ['DELETE', 204],
    ['PATCH', 409],
    ['GET', 503],
  ] as const)
    await Promise.resolve(seen.watch(method, '/a', answer(done)));
  seen.assertNone();

  await Promise.resolve(seen.watch('DELETE', '/b', answer(503)));
  expect(() => seen.assertNone()).toThrow('DELETE /b: 503 {"error":"Busy."}');
});
