import { expect, test } from 'bun:test';
import { readRawBody } from '../../../platform/http/index.ts';
import type { ServicesContext } from './context.ts';
import { callAs } from './own-api.ts';

const BODY_BYTES = 10 * 1024 * 1024;

test('the memory for a body is free again after the call, also if it fails', async () => {
  let calls = 0;
  const context = {
    baseUrl: 'http://localhost',
    api: () => async (request: Request) => {
      await readRawBody(request, BODY_BYTES + 1024, 'an owner');
      if (++calls % 2 === 0) throw new Error('failed');
      return new Response(null, { status: 204 });
    },
  } as unknown as ServicesContext;
  const body = 'x'.repeat(BODY_BYTES);
  const call = () =>
    callAs(context, { actor: undefined }, { method: 'POST', path: '/' }, { params: {}, body });
  // All of them together are more than one sender can have.
  for (let times = 0; times < 28; times++) await call().catch(() => undefined);
  expect(calls).toBe(28);
});
