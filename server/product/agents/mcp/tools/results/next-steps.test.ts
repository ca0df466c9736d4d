import { expect, test } from 'bun:test';
import { ERROR_STATUS, type ErrorCode } from '../../../../../../contract/errors.ts';
import { nextStep, quotesOthers } from './next-steps.ts';

const tool = { name: 'get_page', path: '/api/pages/:id' };

/** Errors after which no tool helps, and a conflict with something that has no version. */
const WITHOUT_STEP: ErrorCode[] = [
  'CONFLICT',
  'METHOD_NOT_ALLOWED',
  'MISDIRECTED',
  'UNSUPPORTED_MEDIA_TYPE',
  'UPGRADE_REQUIRED',
];
const codes = Object.entries(ERROR_STATUS) as Array<[ErrorCode, number]>;

test.each(codes.filter(([code]) => !WITHOUT_STEP.includes(code)))(
  '%s has a next step that is a sentence',
  (code, status) => {
    expect(nextStep(tool, { status, code })).toMatch(/^[A-Z].+\.$/);
  },
);

test.each(codes.filter(([code]) => WITHOUT_STEP.includes(code)))('%s has no next step', (code, status) => {
  expect(nextStep(tool, { status, code })).toBeUndefined();
});

test('names the seconds to wait, the scope and the version', () => {
  expect(nextStep(tool, { status: 429, code: 'RATE_LIMITED', retryAfter: 7 })).toContain('7 seconds');
  expect(nextStep(tool, { status: 403, code: 'INSUFFICIENT_SCOPE', scope: 'pages:read' })).toContain(
    'pages:read',
  );
  expect(nextStep(tool, { status: 409, code: 'CONFLICT', currentVersion: 4 })).toContain('base_version 4');
  const deploy = { name: 'update_function', path: '/api/functions/:slug' };
  expect(nextStep(deploy, { status: 409, code: 'CONFLICT', currentVersion: 4 })).toBe(
    'Read the code with read_file, apply your change to it, and send baseVersion 4.',
  );
  expect(nextStep(tool, { status: 502 })).toContain('read_function_logs');
});

test('only errors that can quote others are marked', () => {
  const quoting = Object.keys(ERROR_STATUS).filter((code) => quotesOthers({ code }).inMessage);
  expect(quoting.toSorted()).toEqual([
    'DEPLOY_FAILED',
    'INVALID_SQL',
    'VALIDATION_FAILED',
  ] satisfies ErrorCode[]);
});

test('a field that is not ours, or a code that we do not know, is marked', () => {
  expect(quotesOthers({ status: 500, success: false, error: 'It threw.' })).toEqual({
    inMessage: false,
    anywhere: false,
  });
  expect(quotesOthers({ error: 'It threw.', exception: 'Error: x' })).toEqual({
    inMessage: false,
    anywhere: true,
  });
  expect(quotesOthers({ error: 'x', code: 'constructor' })).toEqual({ inMessage: true, anywhere: true });
});
