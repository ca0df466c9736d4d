import { expect, test } from 'bun:test';
import { LargeBodies } from './large-bodies.ts';

const MB = 1024 * 1024;

function slowReader(address: string) {
  return { address, isOpen: () => true };
}

function makeFile(bytes: number) {
  const state = { isCancelled: false };
  const body = new ReadableStream({
    cancel() {
      state.isCancelled = true;
    },
  });
  return { state, response: new Response(body), size: { bytes, from: 'whole' } as const };
}

test('a body that is refused is closed where it comes from', async () => {
  const bodies = new LargeBodies({ maxUnreadBytes: 16 * MB });
  const send = async (address: string) => {
    const { state, response, size } = makeFile(4 * MB);
    const code = await bodies.send(response, size, slowReader(address)).then(
      () => 'sent',
      (error: { code: string }) => error.code,
    );
    return [code, state.isCancelled];
  };
  expect(await send('10.0.0.1')).toEqual(['sent', false]);
  expect(await send('10.0.0.1')).toEqual(['RATE_LIMITED', true]);
});

test('the addresses of one IPv6 network have one share', async () => {
  const bodies = new LargeBodies({ maxUnreadBytes: 64 * MB });
  const send = (address: string) => {
    const { response, size } = makeFile(4 * MB);
    return bodies.send(response, size, slowReader(address));
  };
  for (const subnet of [1, 2, 3, 4]) await send(`2001:db8:1:${subnet}::1`);
  await expect(send('2001:db8:1:5::1')).rejects.toThrow('too many downloads');
  await send('2001:db8:2:5::1');
});
