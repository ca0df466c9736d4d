import { expect, test } from 'bun:test';
import { createBroadcast } from '../../../platform/coordination/events/index.ts';
import { DomainTable } from './table.ts';

/** A table over these domains, and the hosts it has read. */
function makeTable(domains: Record<string, number>) {
  const read: string[] = [];
  const table = new DomainTable({
    broadcast: createBroadcast(),
    async read(domain) {
      read.push(domain);
      return domains[domain];
    },
  });
  return { table, read };
}

test('a host is read once, whether it is a domain or not', async () => {
  const { table, read } = makeTable({ 'a.example': 7 });
  expect(await Promise.all([table.find('a.example'), table.find('a.example')])).toEqual([7, 7]);
  expect(await table.find('b.example')).toBeUndefined();
  expect([table.find('a.example'), table.find('b.example')]).toEqual([7, undefined]);
  expect(read).toEqual(['a.example', 'b.example']);
});

test('names of machines and addresses are not read at all', () => {
  const { table, read } = makeTable({});
  for (const host of ['localhost', '127.0.0.1', '[::1]', `${'a.'.repeat(130)}b`])
    expect(table.find(host)).toBeUndefined();
  expect(read).toEqual([]);
});

test('a change is seen, also by a read that began before it', async () => {
  const domains: Record<string, number> = { 'a.example': 7 };
  const { table } = makeTable(domains);
  const early = table.find('a.example');
  domains['a.example'] = 8;
  table.changed('a.example');
  await early;
  expect(await table.find('a.example')).toBe(8);
});

test('random hosts do not push out domains, and the oldest of them are dropped', async () => {
  const { table, read } = makeTable({ 'a.example': 7 });
  await table.find('a.example');
  for (let index = 0; index <= 1_000; index++) await table.find(`h${index}.example`);
  expect(table.find('a.example')).toBe(7);
  expect(table.find('h1.example')).toBeUndefined();
  const before = read.length;
  await table.find('h0.example');
  expect(read.length).toBe(before + 1);
});

test('a read that fails is not remembered', async () => {
  let isBroken = true;
  const read = async () => {
    if (isBroken) throw new Error('unavailable');
    return 7;
  };
  const table = new DomainTable({ broadcast: createBroadcast(), read });
  await expect(table.find('a.example') as Promise<unknown>).rejects.toThrow('unavailable');
  isBroken = false;
  expect(await table.find('a.example')).toBe(7);
});
