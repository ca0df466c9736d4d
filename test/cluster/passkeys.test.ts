import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PasskeyBrowser } from '../support/accounts/passkeys.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { PASSWORD } from '../support/http/call.ts';

let nodes: TwoNodes;
beforeAll(async () => {
  nodes = await twoNodes();
});
afterAll(() => nodes.stop());

test('a challenge of one node is answered at another, once', async () => {
  await nodes.a.user('ada');
  const owner = new PasskeyBrowser(nodes.a);
  await owner.logIn('ada', PASSWORD);
  const { authenticator } = await owner.addPasskey();
  const browser = new PasskeyBrowser(nodes.a);
  const { body: options } = await browser.call('POST', '/api/auth/passkey-login/options', {});
  const credential = authenticator.get(options);
  const send = (node: TwoNodes['a']) =>
    browser.at(node).call('POST', '/api/auth/passkey-login', { credential });
  const answers = await Promise.all([send(nodes.a), send(nodes.b)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('the second factor of a login at one node is given at another', async () => {
  await nodes.a.user('bob');
  const owner = new PasskeyBrowser(nodes.a);
  await owner.logIn('bob', PASSWORD);
  const { authenticator } = await owner.addPasskey();
  await owner.call('POST', '/api/auth/second-factor', {});
  const browser = new PasskeyBrowser(nodes.a);
  await browser.submit('/login', { username: 'bob', password: PASSWORD });
  const other = browser.at(nodes.b);
  expect((await other.usePasskey(authenticator, {}, { secondFactor: true })).status).toBe(200);
});
