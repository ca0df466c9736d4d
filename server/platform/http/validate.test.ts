import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { list } from '../../../contract/fields.ts';
import { AppError } from '../../lib/errors.ts';
import { validate } from './validate.ts';

function expectRefusal(schema: z.ZodType, value: unknown): AppError {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was taken');
}

describe('a validation error', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, 1]));

  test('names 50 problems and no more', () => {
    expect(expectRefusal(z.strictObject({}), many(50)).details).toHaveLength(50);
    expect(expectRefusal(z.strictObject({}), many(100_000)).details).toHaveLength(50);
    expect(expectRefusal(z.record(z.string(), z.string()), many(51)).details).toHaveLength(50);
  });

  test('is short, however long the names are', () => {
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}${'😀'.repeat(50_000)}`, 1]));
    const refusal = expectRefusal(z.strictObject({}), long);
    expect(refusal.details.length).toBeGreaterThan(5);
    expect(Buffer.byteLength(JSON.stringify(refusal.details))).toBeLessThanOrEqual(16 * 1024);
    expect(refusal.message.length).toBeLessThanOrEqual(4_000);
    expect(JSON.stringify(refusal.toBody()).isWellFormed()).toBeTrue();
  });

  test('says which kind of value is expected', () => {
    const Body = z.strictObject({ a: z.string(), b: z.strictObject({}), c: z.array(z.string()) });
    expect(expectRefusal(Body, { a: 1, b: 'x', c: {} }).message).toBe(
      'a: must be a string; b: must be an object; c: must be a list.',
    );
  });

  test('is in our words where the schema has none', () => {
    const Body = z.object({
      record: z.record(z.string(), z.string()),
      int: z.int(),
      choice: z.enum(['a', 'b']),
      fixed: z.literal('x'),
      long: z.string().max(1),
      short: z.string().min(2_000),
      most: z.number().max(9),
      least: z.number().min(0),
      list: z.array(z.string()).min(1),
      form: z.string().regex(/^a/),
      either: z.union([z.string(), z.number()]),
      checked: z.string().refine(() => false),
    });
    const value = {
      ...{ record: 5, int: 1.5, choice: 'c', fixed: 'y', long: 'ab', short: 'a', most: 10, least: -1 },
      ...{ list: [], form: 'b', either: true, checked: 'x' },
    };
    expect(
      Object.fromEntries(expectRefusal(Body, value).details.map(({ path, message }) => [path, message])),
    ).toEqual({
      record: 'must be an object',
      int: 'must be a whole number',
      choice: 'must be one of a, b',
      fixed: 'must be x',
      long: 'must have at most 1 character',
      short: 'must have at least 2,000 characters',
      most: 'must be at most 9',
      least: 'must be at least 0',
      list: 'must have at least 1 item',
      form: 'is not valid',
      either: 'is not valid',
      checked: 'is not valid',
    });
  });

  test('of any kind is short', () => {
    const details = Array.from({ length: 100 }, () => ({ path: 'a', message: 'x'.repeat(10_000) }));
    const body = JSON.stringify(new AppError('CONFLICT', 'x'.repeat(100_000), {}, { details }).toBody());
    expect(body.length).toBeLessThan(21_000);
  });
});

describe('a list', () => {
  const Letters = list(z.enum(['a', 'b']), { max: 3, tooLong: 'has more than 3 letters' });

  test('is accepted up to its limit', () => {
    expect(validate(Letters, ['a', 'b', 'a'])).toEqual(['a', 'b', 'a']);
  });

  test('that is too long is one problem, whatever it contains', () => {
    for (const value of [Array(4).fill('a'), Array(200_000).fill('x')]) {
      expect(expectRefusal(Letters, value).details).toEqual([
        { path: '', message: 'has more than 3 letters' },
      ]);
    }
  });

  test('that is missing is required, and described as a list', () => {
    const Body = z.strictObject({ letters: Letters });
    expect(expectRefusal(Body, {}).details).toEqual([{ path: 'letters', message: 'is required' }]);
    expect(z.toJSONSchema(Body, { io: 'input' })).toMatchObject({
      properties: { letters: { type: 'array', maxItems: 3, items: { enum: ['a', 'b'] } } },
      required: ['letters'],
    });
  });
});
