import { fault } from '../../../../contract/errors.ts';
import { MAX_CODE_BYTES, MAX_SECRETS, MAX_SECRETS_BYTES } from '../../../../contract/functions/functions.ts';
import { isFunctionSlug, isSecretName } from '../../../../contract/rules/function-names.ts';
import { MAX_SECRET_BYTES } from '../../../../contract/rules/limits.ts';
import { AppError, badRequest } from '../../../lib/errors.ts';

/** Checks that the schemas cannot make: names and sizes with their own errors, and totals. */

export function assertSlug(slug: string): void {
  if (isFunctionSlug(slug)) return;
  throw badRequest(
    [
      fault(
        'slug',
        'must have 1 to 100 characters of a-z, 0-9 and hyphens, and begin and end with a letter or digit',
      ),
    ],
    'INVALID_SLUG',
  );
}

export function assertSecretName(name: string): void {
  if (isSecretName(name)) return;
  throw badRequest([
    fault('name', 'must have 1 to 100 characters of A-Z, 0-9 and _, begin with a letter, and not be DB'),
  ]);
}

export function assertSecretSize(value: string): void {
  if (Buffer.byteLength(value) <= MAX_SECRET_BYTES) return;
  throw new AppError('PAYLOAD_TOO_LARGE', 'A secret has at most {count} bytes. Send a shorter value.', {
    count: MAX_SECRET_BYTES,
  });
}

/** Throws when a function's secrets would be too many or too large; existing ones stay. */
export function assertSecretsFit(others: Array<{ size: number }>, size: number): void {
  if (others.length >= MAX_SECRETS) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      'A function can have {count} secrets. Delete one that it no longer needs.',
      { count: MAX_SECRETS },
    );
  }
  const together = others.reduce((sum, other) => sum + other.size, size);
  if (together > MAX_SECRETS_BYTES) {
    throw new AppError(
      'QUOTA_EXCEEDED',
      'The secrets of a function can have 1 MB in total. Delete one that it no longer needs.',
    );
  }
}

/** Refuses code that is too large, with its files. Empty code fails to load, which has a better message. */
export function assertCodeSize(code: string, files: Record<string, string> = {}): void {
  const size = [code, ...Object.entries(files).flat()].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  if (size <= MAX_CODE_BYTES) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    Object.keys(files).length > 0
      ? 'The code and its files have {size} bytes; at most {max} are allowed. Move data to a database.'
      : 'The code has {size} bytes; at most {max} are allowed. Move data to a database.',
    { size, max: MAX_CODE_BYTES },
  );
}
