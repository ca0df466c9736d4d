import { describe, expect, test } from 'bun:test';
import { nextMoment } from '../../../lib/formats/cron.ts';
import { assertSchedules } from './cron.ts';

/** The next moments of a schedule, as UTC. */
async function moments(cron: string, timezone: string, after: string, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let at = Date.parse(`${after}Z`); found.length < count; ) {
    at = await nextMoment({ cron, timezone }, at);
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('in spring, when 02:00 to 03:00 does not exist', () => {
  test.each([
    [
      'a time in the gap runs once, when the gap ends',
      '30 2 * * *',
      ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30'],
    ],
    [
      'a time after the gap keeps its place on the clock',
      '30 4 * * *',
      ['2027-03-27T03:30', '2027-03-28T02:30', '2027-03-29T02:30'],
    ],
  ])('%s', async (_, cron, expected) => {
    expect(await moments(cron, 'Europe/Berlin', '2027-03-27T00:00', 3)).toEqual(expected);
  });

  test('an hourly schedule runs every 60 minutes', async () => {
    const expected = ['2027-03-28T00:00', '2027-03-28T01:00', '2027-03-28T02:00'];
    expect(await moments('0 * * * *', 'Europe/Berlin', '2027-03-27T23:30', 3)).toEqual(expected);
  });
});

describe('in autumn, when 02:00 to 03:00 happens twice', () => {
  test('a fixed time runs once, the first time', async () => {
    const expected = ['2026-10-25T00:30', '2026-10-26T01:30'];
    expect(await moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00', 2)).toEqual(expected);
    expect(await moments('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45', 1)).toEqual(['2026-10-26T01:30']);
  });

  test('a schedule of every 30 minutes goes on every 30 minutes', async () => {
    const expected = [
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ];
    expect(await moments('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:45', 5)).toEqual(expected);
  });
});

test('a moment is always later than the one before, in zones with unusual changes', async () => {
  for (const timezone of [
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'UTC',
  ]) {
    for (const cron of ['*/7 * * * *', '15 2 * * *', '0 0 * * 0', '0 0 L * *', '59 23 29 2 *']) {
      let before = Date.parse('2026-11-01T00:00Z');
      for (let n = 0; n < 60; n++) {
        const next = await nextMoment({ cron, timezone }, before);
        expect(next).toBeGreaterThan(before);
        expect(next % 60_000).toBe(0);
        before = next;
      }
    }
  }
});

test('a zone that is no longer known makes a schedule wait instead of failing', async () => {
  const at = Date.parse('2026-11-01T00:00Z');
  expect(await nextMoment({ cron: '* * * * *', timezone: 'Europe/Atlantis' }, at)).toBeGreaterThan(at);
  expect(assertSchedules([{ cron: '* * * * *', timezone: 'Europe/Atlantis' }], at)).rejects.toThrow(
    'no time zone',
  );
});

test.each([
  ['5-1 * * * *', '5-1 is not a valid minute. Use *, numbers from 0 to 59,'],
  ['0 24 * * *', '24 is not a valid hour. Use *, numbers from 0 to 23,'],
  ['0 0 32 * *', '32 is not a valid day of the month. Use *, numbers from 1 to 31,'],
  ['0 0 1 FOO *', 'FOO is not a valid month. Use *, numbers from 1 to 12,'],
  ['0 0 * * 1,8', '1,8 is not a valid day of the week. Use *, numbers from 0 to 7,'],
  ['*/0 24 * * *', '*/0 is not a valid minute.'],
])('the error about %s names the field and what it can be', async (cron, message) => {
  await expect(assertSchedules([{ cron, timezone: 'UTC' }], 0)).rejects.toThrow(
    `schedules.0.cron: ${message}`,
  );
});
