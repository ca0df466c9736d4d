import { expect, test } from 'bun:test';
import { createCookieJar } from './cookies.ts';

const request = (cookie: string) => new Request('http://localhost/', { headers: { cookie } });

test('reads cookies by the start of their name', () => {
  const cookies = createCookieJar(false);
  const all = cookies.readAll(request('a=1; flow_x=2;flow_y=3=4; =5; flow_; other_flow_z=6'), 'flow_');
  expect([...all]).toEqual([
    ['x', '2'],
    ['y', '3=4'],
  ]);
  expect(cookies.readAll(new Request('http://localhost/'), 'flow_').size).toBe(0);
});

test('reads only cookies with the prefix of the host over HTTPS', () => {
  const cookies = createCookieJar(true);
  expect([...cookies.readAll(request('__Host-flow_x=1; flow_y=2'), 'flow_')]).toEqual([['x', '1']]);
});
