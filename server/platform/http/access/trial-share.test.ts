import { expect, test } from 'bun:test';
import { MAX_TRIAL_BYTES, MAX_TRIALS, TRIAL_SENT_BYTES } from '../../../../contract/templates/wishes.ts';
import { createLimits } from '../../coordination/limits/index.ts';
import { TRIAL_REQUEST_BYTES, TrialShare } from './trial-share.ts';

const URL = 'http://localhost/a';
const send = (bytes: number) =>
  new Request(URL, { method: 'POST', body: 'x', headers: { 'content-length': String(bytes) } });
const FREE = TRIAL_SENT_BYTES - TRIAL_REQUEST_BYTES - URL.length;

test('a trial can send its share to the last byte, and not one more', async () => {
  const share = new TrialShare(createLimits());
  await share.take(1, send(FREE));
  await expect(share.take(1, send(0))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(share.take(2, send(FREE + 1))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await share.take(3, send(FREE - 1));
});

test('a request without a length takes all of the share, and one without a body little', async () => {
  const share = new TrialShare(createLimits());
  await share.take(1, new Request(URL));
  const body = new ReadableStream({ start: (controller) => controller.close() });
  const endless = new Request(URL, { method: 'POST', body });
  await expect(share.take(1, endless)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('the shares of all trials fit into what they have together, with their pages and functions', () => {
  expect(MAX_TRIALS * TRIAL_SENT_BYTES).toBeLessThanOrEqual(MAX_TRIAL_BYTES / 2);
});
