import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Done, Restored } from '../contract/fields.ts';
import type { PatchedPage } from '../contract/pages/pages.ts';
import { call, isLoggedOut, type WithoutMessage } from './api.ts';

type HasMessage<Answer> = 'message' extends keyof WithoutMessage<Answer> ? true : false;

test('no screen can show the sentence about a success that the API sends: it is in English', () => {
  // The compiler checks these. It also checks that no screen reads `message` from a response.
  const has: [HasMessage<Done>, HasMessage<Restored>, HasMessage<PatchedPage>] = [false, false, false];
  expect(has).toEqual([false, false, false]);
  const entry: HasMessage<{ id: number; message: string }> = true;
  expect(entry).toBe(true);
});

/** A service that gives tokens, and accepts those that are valid. */
const valid = new Set<string>();
let isOpen = true;
let given = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/api/auth/session-token') {
      if (!isOpen) return Response.json({ error: 'Log in.' }, { status: 401 });
      const accessToken = `token ${++given}`;
      valid.add(accessToken);
      return Response.json({ accessToken, expiresIn: 600, scopes: [], tokenType: 'Bearer' });
    }
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    return valid.has(token)
      ? Response.json({ token })
      : Response.json({ error: 'Log in.', code: 'INVALID_TOKEN' }, { status: 401 });
  },
});
const { fetch } = globalThis;
// The dashboard calls the service that its document came from.
beforeAll(() => {
  const atServer = (path: string | URL | Request, init?: RequestInit) =>
    fetch(new URL(String(path), server.url), init);
  globalThis.fetch = Object.assign(atServer, { preconnect: fetch.preconnect });
});
afterAll(() => {
  globalThis.fetch = fetch;
  return server.stop(true);
});
afterEach(() => valid.clear());

const target = { method: 'GET', path: '/api/who' } as Parameters<typeof call>[0];

test('a token that was revoked is replaced, and the call is sent again', async () => {
  expect(await call(target)).toMatchObject({ token: 'token 1' });
  valid.clear();
  expect(await call(target)).toMatchObject({ token: 'token 2' });
  expect(await call(target)).toMatchObject({ token: 'token 2' });
});

test('a call after the login has ended says so, and works again after the next login', async () => {
  isOpen = false;
  await expect(call(target)).rejects.toMatchObject({ status: 401, code: 'LOGGED_OUT' });
  expect(isLoggedOut.value).toBe(true);
  isOpen = true;
  expect(await call(target)).toMatchObject({ token: 'token 3' });
  expect(isLoggedOut.value).toBe(false);
});
