import { afterAll, beforeAll, expect, test } from 'bun:test';
import { runBuilder } from '../../support/agents/builder.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

test('with the demo provider the builder says what it needs, and makes nothing', async () => {
  const user = await quire.user();
  const { body } = await user.call('GET', '/api/builder');
  expect(body).toMatchObject({
    isAvailable: false,
    problem: 'demo_provider',
    settings: ['QUIRE_AI_PROVIDER', 'QUIRE_AI_URL', 'QUIRE_AI_KEY', 'QUIRE_AI_MODEL'],
  });
  expect(body.message).toContain('QUIRE_AI_PROVIDER');
  const refused = await runBuilder(quire, user, { prompt: 'A page about bees' });
  expect(refused).toMatchObject({ status: 501, body: { code: 'NOT_INSTALLED', error: body.message } });
  expect((await user.call('GET', '/api/pages')).body.total).toBe(0);
});
