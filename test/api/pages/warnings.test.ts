import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
let owner: TestUser;
let other: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  other = await quire.user('other');
  const code = 'export default { fetch: () => new Response("ok") }';
  const deploy = (user: TestUser, slug: string, isPublic: boolean) =>
    user.call('POST', '/api/functions', { body: { slug, code, isPublic } });
  await deploy(owner, 'own-public', true);
  await deploy(owner, 'own-private', false);
  await deploy(other, 'others-public', true);
  await deploy(other, 'others-private', false);
});
afterAll(() => quire.stop());

const publish = (html_content: string) =>
  owner.call('POST', '/api/pages', { body: { name: 'Warned', html_content } });
const calls = (...slugs: string[]) =>
  `<script>${slugs.map((slug) => `PageFunctions.call('${slug}')`).join('\n')}</script>`;

test('creating and changing a page return its URL, its version and the warnings', async () => {
  const { status, body } = await publish('<!doctype html>\n<script>\nlet x = ;\n</script>');
  expect(status).toBe(201);
  const { id, slug, url } = body.page;
  expect(body).toMatchObject({ url, version: 1 });
  expect(body.warnings).toMatchObject([
    { code: 'SCRIPT_SYNTAX', message: 'The script does not run: Unexpected token.', line: 3, column: 9 },
  ]);
  const patch = (fields: object) => owner.call('PATCH', `/api/pages/${id}`, { body: fields });
  expect((await patch({ html_content: '<img src="logo.png">' })).body).toMatchObject({
    url: `${quire.baseUrl}/p/${slug}`,
    version: 2,
    warnings: [{ code: 'MISSING_FILE', line: 1, column: 11 }],
  });
  // The same document again is not a new version, and is checked again.
  expect((await patch({ html_content: '<img src="logo.png">' })).body).toMatchObject({
    version: 2,
    warnings: [{ code: 'MISSING_FILE' }],
  });
  expect((await patch({ slug: 'warned-elsewhere' })).body).toMatchObject({
    url: `${quire.baseUrl}/p/warned-elsewhere`,
    version: 2,
    warnings: [],
  });
});

test('a function must exist and be public, and those of others are not revealed', async () => {
  const { body } = await publish(
    calls('own-public', 'others-public', 'unfurl-url', 'own-private', 'others-private', 'none', 'No\\0slug'),
  );
  const [hidden, missing] = ['others-private', 'none'].map((slug) => ({
    code: 'UNKNOWN_FUNCTION',
    message: `There is no function ${slug}. Deploy it, or correct the name.`,
  }));
  expect(body.warnings).toMatchObject([
    { code: 'PRIVATE_FUNCTION', line: 4 },
    { ...hidden, line: 5 },
    { ...missing, line: 6 },
    { code: 'UNKNOWN_FUNCTION', message: expect.stringContaining('There is no function No slug'), line: 7 },
  ]);
});

test('what is quoted from a page is short and on one line', async () => {
  const { body } = await publish(`<script>PageFunctions.call('${'x'.repeat(5000)}')\nlet a\\n</script>`);
  for (const { message } of body.warnings) expect(message).toMatch(/^.{1,200}$/);
  expect(body.warnings).toHaveLength(2);
});

test('a page that someone cannot save is not checked for them', async () => {
  const { id } = (await publish('<p>')).body.page;
  const { status, body } = await other.call('PATCH', `/api/pages/${id}`, {
    body: { html_content: calls('own-private') },
  });
  expect(status).toBe(403);
  expect(body.warnings).toBeUndefined();
});
