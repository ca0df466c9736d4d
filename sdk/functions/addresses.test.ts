import { afterAll, expect, test } from 'bun:test';
import { createAddresses } from './addresses.ts';

/** A service controlled by the test, which gives tickets. */
let give: () => Response;
let asked = 0;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    asked++;
    return give();
  },
});
afterAll(() => server.stop(true));

const { addressFor } = createAddresses({ api: `${server.url}api/pages/7` });
const ticket = (expiresIn: number) => () =>
  Response.json({ url: 'https://f.example/', ticket: `ticket-${asked}`, expiresIn });
const find = async (slug: string) => (await addressFor(slug, '/a?b=1')).url;

test('a ticket is used until shortly before it expires', async () => {
  give = ticket(600);
  const [first, second] = [await find('long'), await find('long')];
  expect(first).toBe('https://f.example/a?b=1&quire_ticket=ticket-1');
  expect(second).toBe(first);
  give = ticket(10);
  expect([await find('short'), await find('short')]).toEqual([
    'https://f.example/a?b=1&quire_ticket=ticket-2',
    'https://f.example/a?b=1&quire_ticket=ticket-3',
  ]);
});

test('a call after one that got no ticket asks for another', async () => {
  give = () => Response.json({ error: 'Try again.', code: 'UNAVAILABLE' }, { status: 503 });
  await expect(find('later')).rejects.toMatchObject({ status: 503 });
  give = ticket(600);
  expect(await find('later')).toContain('quire_ticket=');
});
