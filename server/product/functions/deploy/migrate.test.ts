import { expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { stayApplied } from './migrate.ts';

test('an error after the migrations keeps its code, and says that they stay applied', () => {
  const conflict = new AppError('CONFLICT', 'The function is at version 2.', {}, {});
  expect(stayApplied(['0002_a.sql', '0003_b.sql'], conflict).toBody()).toMatchObject({
    code: 'CONFLICT',
    error:
      'The function is at version 2. The migrations 0002_a.sql, 0003_b.sql are applied already and stay applied, so the code from before now runs with the new schema. Deploy again.',
    migrations: ['0002_a.sql', '0003_b.sql'],
  });
});

test('after an error of ours, nobody knows whether the code is stored', () => {
  const cause = new Error('connection lost: secret');
  const error = stayApplied(['0002_a.sql'], cause);
  expect([error.code, error.cause]).toEqual(['OUTCOME_UNKNOWN', cause]);
  expect(error.message).not.toContain('secret');
});
