import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AttackReport } from '../../../contract/attack/attack.ts';
import { publishSample } from '../../attack/publish-sample.ts';
import { applicationSamples } from '../../attack/samples/applications.ts';
import { collectionSamples } from '../../attack/samples/collections.ts';
import { functionSamples } from '../../attack/samples/functions.ts';
import { type TestApp, testApp } from '../../support/app.ts';

/** Attacks pages with known holes and pages without, and counts what is found. */

const SAMPLES = [...collectionSamples, ...functionSamples, ...applicationSamples];

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

test('finds at least 90 % of the known holes, and at most 5 % of the pages without are false alarms', async () => {
  const missed: string[] = [];
  const alarms: string[] = [];
  for (const [index, sample] of SAMPLES.entries()) {
    const owner = await quire.user(`owner${index}`);
    const id = await publishSample(quire, owner, sample, index);
    const { status, body } = await owner.call('POST', `/api/pages/${id}/attack`);
    expect([sample.name, status]).toEqual([sample.name, 200]);
    const { findings } = body as AttackReport;
    const serious = findings.filter(({ severity }) => severity !== 'question');
    const kinds = new Set(serious.map(({ kind }) => kind));
    for (const hole of sample.holes) if (!kinds.delete(hole)) missed.push(`${sample.name}: ${hole}`);
    for (const kind of kinds) alarms.push(`${sample.name}: ${kind}`);
  }
  const holes = SAMPLES.flatMap((sample) => sample.holes).length;
  const safe = SAMPLES.filter((sample) => sample.holes.length === 0).length;
  expect([SAMPLES.length - safe >= 40, safe >= 40]).toEqual([true, true]);
  const found = holes - missed.length;
  console.info(
    `attack: ${found} of ${holes} holes found, ${alarms.length} false alarms on ${SAMPLES.length} pages, ${safe} of them without holes`,
  );
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(holes * 0.1);
  expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(safe * 0.05);
}, 600_000);
