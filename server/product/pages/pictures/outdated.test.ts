import { expect, test } from 'bun:test';
import { isOutdated } from './outdated.ts';

const HOUR = 3600_000;
const NOW = 10 * HOUR;
const picture = (changes: Partial<Parameters<typeof isOutdated>[0]> = {}) => ({
  claimed_until: null,
  created_at: NOW - HOUR,
  shows_records: 1,
  ...changes,
});

test.each([
  ['has no records', picture({ shows_records: 0 }), undefined, false],
  ['has hidden or deleted its records', picture({ created_at: NOW - 1 }), undefined, true],
  ['has not changed', picture(), { count: 1, changedAt: NOW - HOUR - 1 }, false],
  ['changed in the moment of the picture', picture(), { count: 1, changedAt: NOW - HOUR }, true],
  ['changed an hour after the picture', picture(), { count: 1, changedAt: NOW }, true],
  ['lost its last record', picture(), { count: 0, changedAt: NOW }, true],
  [
    'changed less than an hour after it',
    picture({ created_at: NOW - HOUR + 1 }),
    { count: 1, changedAt: NOW },
    false,
  ],
  [
    'got its first record ten seconds ago',
    picture({ created_at: NOW - 60_000, shows_records: 0 }),
    { count: 1, changedAt: NOW - 10_000 },
    true,
  ],
  [
    'gets its first records just now',
    picture({ created_at: NOW - 60_000, shows_records: 0 }),
    { count: 1, changedAt: NOW - 9_999 },
    false,
  ],
  [
    'had a record for a moment',
    picture({ created_at: NOW - 60_000, shows_records: 0 }),
    { count: 0, changedAt: NOW - 20_000 },
    false,
  ],
  ['is being photographed', picture({ claimed_until: NOW + 1 }), { count: 1, changedAt: NOW }, false],
  ['was claimed by a node that is gone', picture({ claimed_until: NOW }), undefined, true],
] as const)('the picture of a page that %s', (_, row, records, outdated) => {
  expect(isOutdated(row, records, NOW)).toBe(outdated);
});
