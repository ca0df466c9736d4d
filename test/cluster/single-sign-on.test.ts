import { afterAll, beforeAll, expect, test } from 'bun:test';
import { logInAtProvider, startProvider, type TestProvider } from '../support/accounts/oidc-provider.ts';
import { flowIn, leadsTo, Visitor } from '../support/accounts/single-sign-on.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';

const BASE_URL = 'http://localhost:4000';

let provider: TestProvider;
let nodes: TwoNodes;
beforeAll(async () => {
  provider = await startProvider(BASE_URL);
  provider.add('someone', { email: 'someone@school.example', email_verified: true });
  nodes = await twoNodes({ ...provider.settings, QUIRE_BASE_URL: BASE_URL });
});
afterAll(async () => {
  await nodes.stop();
  await provider.stop();
});

/** The same browser at the other node. */
function atOtherNode(visitor: Visitor): Visitor {
  const other = new Visitor(nodes.b);
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
  return other;
}

test('finishes a login at another node, and accepts its answer once', async () => {
  const a = new Visitor(nodes.a);
  const answer = await logInAtProvider(leadsTo(await a.open('/login/sso')), 'someone');
  const b = atOtherNode(a);
  const back = await b.open(answer);
  expect(leadsTo(back)).toContain('/login/sso/finish');
  expect((await a.open(answer)).status).toBe(403);
  const a2 = new Visitor(nodes.a);
  for (const [name, value] of b.cookies) a2.cookies.set(name, value);
  const done = await a2.submit('/login/sso/register', { flow: flowIn(back), username: 'someone' });
  expect(done.status).toBe(303);
  expect(await atOtherNode(a2).username()).toBe('someone');
});
