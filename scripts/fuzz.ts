import { parseArgs } from 'node:util';
import { fuzz, reportLines } from '../test/contract/fuzz/index.ts';

/** `npm run fuzz -- --requests 100000 --seed 7`: exits with 0 if every response is as described. */

const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string', default: '100000' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const requests = Number(values.requests);
console.log(`Sending ${requests.toLocaleString('en')} requests with --seed ${seed}.`);
const startedAt = performance.now();
const report = await fuzz({
  seed,
  requests,
  onProgress: (done) => console.log(`${done.toLocaleString('en')} done`),
});
console.log(reportLines(report, seed).join('\n'));
console.log(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
process.exit(report.faults.length + report.neverWorked.length > 0 ? 1 : 0);
