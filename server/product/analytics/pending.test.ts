import { expect, test } from 'bun:test';
import type { Reported } from './errors/store.ts';
import { Pending } from './pending.ts';

const report = (at: number, version: number, context: string | null): Reported => ({
  ...{
    fingerprint: 'a',
    message: 'x is not defined',
    source: '',
    line_number: 1,
    column_number: 1,
    stack: null,
  },
  ...{ browser: '', version, context, count: 1, first_at: at, last_at: at },
});

test.each([
  ['the first of a version', [report(1, 1, 'first'), report(2, 1, 'second')], 'first'],
  ['the first that there is', [report(1, 1, null), report(2, 1, 'second')], 'second'],
  ['the first of a newer version', [report(1, 1, 'old'), report(2, 2, 'new'), report(3, 2, 'late')], 'new'],
  ['an older one, if the newer version has none', [report(1, 1, 'old'), report(2, 2, null)], 'old'],
  ['the first, if it is put back later', [report(2, 1, 'second'), report(1, 1, 'first')], 'first'],
])('what led to an error is %s', (_, reports, kept) => {
  const pending = new Pending();
  const counts = pending.of(1, 0);
  if (!counts) throw new Error('nothing waits');
  for (const each of reports) pending.addError(counts, each);
  expect(counts.errors?.get('a')).toMatchObject({ context: kept, count: reports.length });
});
