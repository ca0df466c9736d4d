import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { BROKEN, CHROME, FIX } from '../../support/agents/repairs.ts';
import { startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext, openStage, type Person, type Stage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';

/** A fault in a visitor's browser becomes a proven repair, and the owner watches it in the dashboard. */

const LONG_MS = 300_000;

let stage: Stage;
let vendor: ToolVendor;
let owner: Person;
beforeAll(async () => {
  vendor = await startToolVendor();
  stage = await openStage('origin', {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model-a',
    QUIRE_CREDITS_NEW_USER: '1000',
  });
  owner = await stage.register('owner-repairs');
});
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

/** A visitor whose browser does not say that it is a program. */
const arrive = async () => (await newContext({ userAgent: CHROME })).newPage();

/** A visitor does what makes the page fail. */
async function visit(address: string): Promise<void> {
  const visitor = await arrive();
  const loaded = visitor.waitForResponse((response) => response.url().endsWith('/sdk/steps.js'));
  await visitor.goto(address);
  await (await loaded).finished();
  await visitor.getByLabel('Name').fill('Grace Hopper 1906');
  const reported = visitor.waitForResponse((response) => response.url().endsWith('/errors'));
  await visitor.getByRole('button', { name: 'First item' }).click();
  expect((await reported).status()).toBe(204);
}

test(
  'a fault in a visitor’s browser is repaired on a copy, with the proof beside the error',
  async () => {
    const { id, address } = await stage.publish(owner, BROKEN, { name: 'List' });
    const ask = (method: string, path: string, body?: object) =>
      stage.call(method, `/api/pages/${id}${path}`, { token: owner.token, ...(body && { body }) });
    const tab = await stage.reuse(owner);
    const complaints = watchComplaints(tab);
    await tab.goto(`${stage.baseUrl}/pages/${id}/settings`);
    const saved = tab.waitForResponse((response) => response.request().method() === 'PATCH');
    await tab.getByRole('switch', { name: 'Let the builder repair errors' }).click();
    expect((await (await saved).json()).page.repair).toBe(true);

    await visit(address);
    const { errors } = (await ask('GET', '/errors')).body;
    expect(errors[0].context).toMatchObject({
      kind: 'visit',
      as: 'nobody',
      steps: [
        { type: { name: 'Name', text: 'Xxxxx Xxxxxx 1111' } },
        { click: { role: 'button', name: 'First item' } },
      ],
    });

    const thinking = Promise.withResolvers<void>();
    vendor.play([{ calls: [FIX], pace: () => thinking.promise }, { text: 'An empty list is fine now.' }]);
    const asked = vendor.nextRequest();
    await tab.goto(`${stage.baseUrl}/pages/${id}/analytics`);
    await tab.getByRole('button', { name: /^Repair Uncaught TypeError/ }).click();
    await asked;
    await tab.getByText('The builder repairs the copy…').waitFor();
    await tab.reload();
    await tab.getByText('The builder repairs the copy…').waitFor();
    await expectReadable(tab);
    thinking.resolve();
    await tab.getByText('The error happened on a copy, and does not happen after the repair.').waitFor({
      timeout: LONG_MS,
    });
    await tab.getByText('The proof').click();
    await tab.getByText("+function first() { out.textContent = items[0]?.name ?? 'nothing'; }").waitFor();
    for (const width of [390, 820, 1280]) {
      await tab.setViewportSize({ width, height: 900 });
      await expectReadable(tab);
      expect(await overflow(tab)).toBe(0);
      if (process.env.PICTURES)
        await tab.screenshot({ path: `${process.env.PICTURES}/repair-${width}.png`, fullPage: true });
    }
    await tab.getByRole('link', { name: 'Look at the copy' }).click();
    await waitUntil(async () => !tab.url().includes(`/pages/${id}/`));
    expect(complaints).toEqual([]);
    expect((await ask('GET', '')).body.page.html_content).toBe(BROKEN);
  },
  LONG_MS,
);

test(
  'errors of a page whose owner has not turned repairs on say how, and keep nothing',
  async () => {
    const { id, address } = await stage.publish(owner, BROKEN, { name: 'Quiet list' });
    const visitor = await arrive();
    await visitor.goto(address);
    const reported = visitor.waitForRequest((request) => request.url().endsWith('/errors'));
    await visitor.getByRole('button', { name: 'First item' }).click();
    expect((await reported).postDataJSON()).not.toHaveProperty('visit');
    const tab = await stage.reuse(owner);
    const down = { status: 503, json: { error: 'The database is busy.', code: 'UNAVAILABLE' } };
    await tab.route('**/repairs', (route) => route.fulfill(down), { times: 1 });
    await tab.goto(`${stage.baseUrl}/pages/${id}/analytics`);
    const failed = tab.getByRole('alert').filter({ hasText: 'Whether errors can be repaired could not be' });
    await failed.getByText('The database is busy.').waitFor();
    await expectReadable(tab);
    await failed.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('link', { name: 'Turn on repairs' }).waitFor();
    expect(await tab.getByRole('button', { name: /^Repair/ }).count()).toBe(0);
    await expectReadable(tab);
  },
  LONG_MS,
);
