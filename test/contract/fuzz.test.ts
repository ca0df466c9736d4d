import { expect, test } from 'bun:test';
import { fuzz, reportLines } from './fuzz/index.ts';

/** A short `npm run fuzz`. For another seed and more requests: npm run fuzz -- --seed 2 --requests 100000 */
const SEED = 1;
const REQUESTS = 1_000;

test('every response is described in openapi.json, and every operation works', async () => {
  const report = await fuzz({ seed: SEED, requests: REQUESTS });
  const lines = reportLines(report, SEED);
  console.log(lines.join('\n'));
  expect({
    faults: report.faults.map(({ message, curl }) => `${message}\n${curl}`),
    neverWorked: report.neverWorked,
  }).toEqual({
    faults: [],
    neverWorked: [],
  });
}, 600_000);
