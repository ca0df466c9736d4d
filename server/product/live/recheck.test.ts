import { expect, test } from 'bun:test';
import type { Connection } from './connection.ts';
import { type Occasion, recheck } from './recheck.ts';
import type { Visitor } from './visitor.ts';

type Refusal = Awaited<ReturnType<Visitor['refusal']>>;

/** Checks one connection. Returns the code that it was closed with; undefined if it stays. */
async function check(
  occasion: Occasion,
  refusal: (isLoginToo: boolean) => Promise<Refusal>,
): Promise<number | undefined> {
  let closed: number | undefined;
  const visitor: Visitor = {
    person: { id: 1, username: 'ada' },
    isCheck: false,
    endsAt: null,
    readPage: async () => undefined,
    refusal: (_, isLoginToo) => refusal(isLoginToo),
  };
  const close = (code: number) => {
    closed = code;
  };
  await recheck([{ visitor, checkedAt: 0, close } as unknown as Connection], occasion);
  return closed;
}

test('a login that has ended ends the connection when somebody logs out, and after a while', async () => {
  const loggedOut = async (isLoginToo: boolean) => (isLoginToo ? 'login ended' : undefined);
  expect(await check('login changed', loggedOut)).toBe(4401);
  // A login can also expire, and nobody reports that.
  expect(await check('a while ago', loggedOut)).toBe(4401);
  expect(await check('access changed', loggedOut)).toBeUndefined();
});

test('a database that does not answer ends a connection only if something has changed', async () => {
  const unavailable = async () => {
    throw new Error('no connection');
  };
  expect(await check('access changed', unavailable)).toBe(1013);
  expect(await check('login changed', unavailable)).toBe(1013);
  expect(await check('a while ago', unavailable)).toBeUndefined();
});
