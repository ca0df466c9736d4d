import { expect, test } from 'bun:test';
import { findReason } from './failure-reasons.ts';
import { ProviderError, VendorFailure } from './failures.ts';

/** Errors as vendors document them. */

const openAi = (fields: object) => JSON.stringify({ error: fields });

test.each([
  ['key', 401, openAi({ message: 'Incorrect API key provided: sk-1', code: 'invalid_api_key' })],
  ['key', 401, openAi({ type: 'authentication_error', message: 'invalid x-api-key' })],
  ['key', 400, openAi({ message: 'API key not valid. Please pass a valid API key.' })],
  ['revoked', 401, openAi({ message: 'The account was deactivated.', code: 'account_deactivated' })],
  ['revoked', 403, openAi({ message: 'This key has been revoked.' })],
  ['forbidden', 403, openAi({ type: 'permission_error', message: 'Not for you' })],
  ['money', 429, openAi({ message: 'You exceeded your current quota', code: 'insufficient_quota' })],
  ['money', 402, openAi({ message: 'Insufficient Balance' })],
  ['money', 400, openAi({ message: 'Your credit balance is too low to access the API.' })],
  ['busy', 429, openAi({ message: 'Rate limit reached', code: 'rate_limit_exceeded' })],
  ['busy', 529, openAi({ type: 'overloaded_error' })],
  ['model', 404, openAi({ message: 'The model `gpt-9` does not exist', code: 'model_not_found' })],
  ['model', 404, openAi({ type: 'not_found_error', message: 'model: claude-9' })],
  ['model', 400, openAi({ message: 'Invalid model: mistral-huge' })],
  ['address', 404, '<html>Not found'],
  ['address', 405, ''],
  ['tools', 400, openAi({ message: 'registry.ollama.ai/library/gemma does not support tools' })],
  ['refused', 400, openAi({ message: 'max_tokens is too large' })],
  ['failed', 500, openAi({ message: 'billing service is down' })],
] as const)('finds %s in a response with status %d', (reason, status, body) => {
  expect(findReason(new VendorFailure('x', status, body))).toBe(reason);
  // The SDK's errors have the same things under other names.
  const sdk = Object.assign(new Error('x'), { statusCode: status, responseBody: body });
  expect(findReason(sdk)).toBe(reason);
});

test.each([
  ['unreachable', 'ECONNREFUSED'],
  ['unreachable', 'ENOTFOUND'],
  ['unreachable', 'ECONNRESET'],
  ['certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['certificate', 'EPROTO'],
  ['address', 'UnexpectedRedirect'],
] as const)('finds %s in the code %s of a cause', (reason, code) => {
  const cause = Object.assign(new Error('x'), { code });
  expect(findReason(new Error('Cannot connect', { cause }))).toBe(reason);
});

test('other errors are a response that nobody understands, and timeouts are slow', () => {
  expect(findReason(new SyntaxError('x'))).toBe('response');
  expect(findReason({ type: 'error', error: { message: 'insufficient_quota' } })).toBe('money');
  expect(findReason(undefined)).toBe('response');
  expect(findReason(new ProviderError('timeout', 'x'))).toBe('slow');
});

test('what a vendor wrote is not among the properties that a log prints', () => {
  const failure = new VendorFailure('x', 401, 'the key is sk-secret');
  expect(JSON.stringify({ ...failure })).not.toContain('sk-secret');
});
