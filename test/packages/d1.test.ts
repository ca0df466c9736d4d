import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { installMiniflare } from '../../bench/support/miniflare.ts';
import { functionApp } from '../support/functions/app.ts';
import { STEPS } from './d1-steps.ts';

/**
 * Compares Quire's databases with those of miniflare, Cloudflare's own local runner. Both get equal statements through
 * Cloudflare's D1 client, and must return equal results, `meta` and words of errors.
 */

/** Runs steps, and replaces what differs from run to run by its type. */
const RUNNER = `export default { async fetch(request, env) {
  const db = env.DB;
  const prepare = ({ sql, params }) => params ? db.prepare(sql).bind(...params) : db.prepare(sql);
  const run = ({ method = 'run', argument, batch, exec, ...query }) =>
    exec !== undefined ? db.exec(exec) : batch ? db.batch(batch.map(prepare)) : prepare(query)[method](argument);
  const results = [];
  for (const step of await request.json()) {
    try { results.push({ step, result: await run(step) }) }
    catch ({ name, message, cause }) { results.push({ step, error: { name, message, cause: cause?.message } }) }
  }
  const varies = ['duration', 'served_by', 'size_after'];
  const texts = results.map((one) => JSON.stringify(one, (key, value) =>
    varies.includes(key) || one.step.uncompared?.includes(key) ? typeof value : value));
  const text = '[' + texts.join() + ']';
  return new Response(text, { headers: { 'content-type': 'application/json' } });
} };`;

const INSTALL_MS = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'quire-d1-'));
const ends: Array<() => Promise<unknown>> = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

const hasMiniflare = Bun.spawnSync(['npm', 'view', 'miniflare@4', 'version'], { stderr: 'ignore' }).success;

test.skipIf(!hasMiniflare)(
  'a database responds like D1',
  async () => {
    const { quire, deploy, call } = await functionApp();
    ends.push(() => quire.stop());
    const slug = await deploy(RUNNER, { enableDatabase: true });
    const miniflare = await installMiniflare({
      ...{ folder, sharedFolder: folder },
      pick: (full) => full,
      atEnd: (end) => void ends.push(end),
    });
    const { url } = await miniflare.start(RUNNER);
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(STEPS) });
    const wanted = (await answer.json()) as unknown[];
    const found: unknown[] = (await call(slug, STEPS)).body;
    const differences = wanted.flatMap((each, i) =>
      isDeepStrictEqual(each, found[i]) ? [] : [{ wanted: each, found: found[i] }],
    );
    expect([differences, found.length]).toEqual([[], STEPS.length]);
  },
  INSTALL_MS,
);
