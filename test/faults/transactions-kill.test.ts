import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { type FunctionServer, killHelper, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

/** Money is moved between accounts while cells and the database host are killed: none is lost, made or moved twice. */

const ACCOUNTS = 10;
const EACH = 1_000;
const CLIENTS = 8;
const TRANSFERS = rounds(300, 10_000);
const KILLS = rounds(4, 60);

const CODE = `export default { async fetch(request, env) {
  const { id, from, to, amount } = await request.json();
  await env.DB.transaction(async (tx) => {
    const { balance } = await tx.prepare('SELECT balance FROM accounts WHERE id = ?').bind(from).first();
    await tx.prepare('UPDATE accounts SET balance = ? WHERE id = ?').bind(balance - amount, from).run();
    const other = await tx.prepare('SELECT balance FROM accounts WHERE id = ?').bind(to).first('balance');
    await tx.prepare('UPDATE accounts SET balance = ? WHERE id = ?').bind(other + amount, to).run();
    await tx.prepare('INSERT INTO transfers (id, source, target, amount) VALUES (?, ?, ?, ?)').bind(id, from, to, amount).run();
  });
  return Response.json({ id });
} };`;

let quire: FunctionServer;
let slugs: string[];
beforeAll(async () => {
  quire = await startFunctionServer();
  // A function that crashes often is suspended for a while, so several share the database.
  const first = await quire.deploy(CODE, { enableDatabase: true });
  const others = Array.from({ length: rounds(3, 11) }, () => quire.deploy(CODE, { useDatabase: first }));
  slugs = [first, ...(await Promise.all(others))];
  await quire.sql(first, 'CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)');
  await quire.sql(first, 'CREATE TABLE transfers (id INTEGER PRIMARY KEY, source, target, amount)');
  for (let id = 0; id < ACCOUNTS; id++)
    await quire.sql(first, `INSERT INTO accounts (id, balance) VALUES (${id}, ${EACH})`);
}, 120_000);
afterAll(() => quire.stop());

const pick = (count: number) => Math.floor(Math.random() * count);
async function rows(sql: string): Promise<Array<Record<string, number>>> {
  const { body } = await quire.sql(slugs[0] as string, sql);
  return body.results;
}

test(
  'transactions lose nothing and leave nothing half, whoever is killed',
  async () => {
    const acknowledged = new Set<number>();
    const certainlyNot = new Set<number>();
    const killed = { cell: new Set<number>(), 'database host': new Set<number>() };
    const countKilled = () => killed.cell.size + killed['database host'].size;
    let next = 0;
    const work = async () => {
      // Cells and hosts start for calls, so there are calls until all have been killed.
      while (next < TRANSFERS || countKilled() < KILLS) {
        const id = next++;
        const from = pick(ACCOUNTS);
        const body = { id, from, to: (from + 1 + pick(ACCOUNTS - 1)) % ACCOUNTS, amount: 1 + pick(50) };
        const slug = slugs[id % slugs.length] as string;
        const answer = await quire.call(slug, { body }).catch(() => undefined);
        if (answer?.status === 200) acknowledged.add(id);
        else if (answer?.body.code === 'UNAVAILABLE') certainlyNot.add(id);
      }
    };
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill++) {
        await waitUntil(async () => next >= (kill * TRANSFERS) / (KILLS + 1));
        const kind = kill % 2 === 0 ? 'cell' : 'database host';
        await killHelper(quire, kind, killed[kind]);
      }
    })();
    await Promise.all([killing, ...Array.from({ length: CLIENTS }, work)]);
    await waitUntil(async () => (await quire.sql(slugs[0] as string, 'SELECT 1')).status === 200);

    const transfers = await rows('SELECT * FROM transfers');
    const kept = new Set(transfers.map(({ id }) => id));
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    expect([...certainlyNot].filter((id) => kept.has(id))).toEqual([]);
    const balances = Array.from({ length: ACCOUNTS }, () => EACH);
    for (const { source = 0, target = 0, amount = 0 } of transfers) {
      balances[source] = (balances[source] as number) - amount;
      balances[target] = (balances[target] as number) + amount;
    }
    expect(await rows('SELECT id, balance FROM accounts ORDER BY id')).toEqual(
      balances.map((balance, id) => ({ id, balance })),
    );
    expect(acknowledged.size).toBeGreaterThan(TRANSFERS / 4);
    expect([killed.cell.size, killed['database host'].size]).toEqual([KILLS / 2, KILLS / 2]);
    if (isSoak) console.log(next, 'transfers', acknowledged.size, 'acknowledged', countKilled(), 'kills');
  },
  ROUNDS_MS,
);
