import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startToolVendor } from '../support/agents/tool-vendor.ts';
import { expectReadable, watchComplaints } from '../support/browser/accessibility.ts';
import {
  closeTabs,
  newContext,
  openStage,
  PASSWORD,
  type Person,
  type Published,
  type Stage,
} from '../support/browser/stage.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';
import { untilPrinted } from '../support/server.ts';
import { expectUsable } from './pages/publish.ts';

let stage: Stage;
let smtp: TestSmtp;
let ada: Person;
let bea: Person;
let eve: Person;
let shop: Published;

beforeAll(async () => {
  smtp = await startSmtp();
  stage = await openStage('origin', {
    QUIRE_SMTP_URL: smtp.url,
    QUIRE_MAIL_FROM: 'quire@example.com',
    QUIRE_IMAGE_SEARCH: 'demo',
    QUIRE_NPM_REGISTRY: 'off',
    QUIRE_REGISTRATIONS_PER_HOUR: '0',
    QUIRE_ANONYMOUS_PAGES: 'on',
  });
  ada = await stage.register('ada');
  bea = await stage.register('bea');
  eve = await stage.register('eve');
  shop = await stage.publish(bea, '<!doctype html><p>Cheap', { name: 'Cheap watches' });
  const code = 'export default { fetch() { return new Response("hi") } }';
  await stage.call('POST', '/api/functions', { token: bea.token, body: { slug: 'sender', code } });
  const setup = await stage.reuse();
  await setup.goto(stage.baseUrl + (await untilPrinted(stage, /\/setup\?code=\S+/)));
  await setup.getByLabel('Username').fill('ada');
  await setup.getByLabel('Password').fill(PASSWORD);
  await setup.getByRole('button', { name: 'Become administrator' }).click();
  await setup.getByRole('heading', { name: 'You are now an administrator' }).waitFor();
});
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await smtp.stop();
});

async function open(person: Person, path: string): Promise<Page> {
  const page = await stage.reuse(person);
  await page.goto(stage.baseUrl + path);
  return page;
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

test('an administrator sees the health of the service', async () => {
  const page = await open(ada, '/admin/health');
  await page.getByRole('heading', { name: 'Service' }).waitFor();
  await page.getByText('Free disk space').waitFor();
  await page.getByRole('figure').filter({ hasText: 'Memory' }).waitFor();
});

test('the overview has the numbers, and leads to what needs the administrator', async () => {
  const page = await open(ada, '/admin');
  const tiles = page.getByRole('list', { name: 'The service at a glance' }).getByRole('listitem');
  await tiles.filter({ hasText: 'Users' }).getByText('3', { exact: true }).waitFor();
  await tiles.filter({ hasText: 'Last backup' }).getByText('Never').waitFor();
  await tiles.filter({ hasText: 'Mail' }).getByText('Set up', { exact: true }).waitFor();
  const steps = page.getByRole('region', { name: 'Set up this server' });
  await steps.getByText('1 of 5 done').waitFor();
  await steps.getByRole('link', { name: 'A model: Connect' }).press('Enter');
  await page.waitForURL(/\/admin\/providers\/chat$/);
  await page.goto(stage.baseUrl);
  await steps.getByRole('button', { name: 'Hide this list' }).click();
  await steps.waitFor({ state: 'detached' });
  await page.goto(`${stage.baseUrl}/admin`);
  await page.getByText('There is no backup yet.').waitFor();
  await page.getByRole('link', { name: 'Make a backup' }).press('Enter');
  await page.waitForURL(/\/admin\/backups$/);
  const failure = { status: 503, json: { error: 'Not now.', code: 'UNAVAILABLE' } };
  await page.route('**/api/admin/storage', (route) => route.fulfill(failure), { times: 1 });
  await page.goto(`${stage.baseUrl}/admin`);
  await page.getByRole('alert').getByText('Not now.').waitFor();
  await button(page, 'Try again').click();
  await page.getByText('Needs attention').waitFor();
});

describe('users', () => {
  test('are found by search and filters', async () => {
    const page = await open(ada, '/admin/users');
    await page.getByText('3 accounts').waitFor();
    await page.getByLabel('Search users').fill('BEA@');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByLabel('Search users').fill('nobody');
    await page.getByRole('heading', { name: 'No users found' }).waitFor();
    await page.getByLabel('Search users').fill('');
    await page.getByLabel('Show').selectOption('Administrators');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
    // Nobody locks themselves out.
    expect(await button(page, 'Suspend the account').isDisabled()).toBe(true);
    expect(await button(page, 'Delete the account').isDisabled()).toBe(true);
  });

  test('get credits and a quota', async () => {
    const page = await open(ada, `/admin/users/${bea.id}`);
    await page.getByRole('button', { name: 'Give credits to bea' }).click();
    await page.getByLabel('Credits', { exact: true }).fill('1000001');
    await page.getByLabel('Reason').fill('a prize');
    await button(page, 'Give credits').click();
    await dialog(page).getByRole('alert').getByText('1,000,000').waitFor();
    await page.getByLabel('Credits', { exact: true }).fill('30');
    await button(page, 'Give credits').click();
    await page.getByText('bea now has 50 credits.').waitFor();

    await button(page, 'Change the quota').click();
    await page.getByLabel('Pages', { exact: true }).fill('many');
    await page.getByText('Enter a whole number, or leave it empty.').waitFor();
    expect(await button(page, 'Save the quota').isDisabled()).toBe(true);
    await page.getByLabel('Pages', { exact: true }).fill('7');
    await page.getByLabel('Storage in MB').fill('0');
    await button(page, 'Save the quota').click();
    await page.getByText('The quota of bea is saved.').waitFor();
    await page.getByRole('definition').filter({ hasText: /^7$/ }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'No limit' }).waitFor();
  });

  test('get a reset link that is shown once, and can be logged out', async () => {
    const page = await open(ada, `/admin/users/${bea.id}`);
    await button(page, 'Create a reset link').click();
    await button(page, 'Create the link').click();
    await dialog(page)
      .getByText(/\/reset\?code=/)
      .waitFor();
    await button(page, 'Done').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.getByText(/\/reset\?code=/).count()).toBe(0);
    await button(page, 'Log out everywhere').first().click();
    await dialog(page).getByRole('button', { name: 'Log out everywhere' }).click();
    await page.getByText('bea is logged out everywhere.').waitFor();
    bea.token = (
      await stage.call('POST', '/api/auth/token', { body: { username: 'bea', password: PASSWORD } })
    ).body.accessToken;
  });

  test('are suspended with a reason, restored, promoted and demoted', async () => {
    const page = await open(ada, `/admin/users/${eve.id}`);
    await button(page, 'Suspend the account').click();
    const submit = dialog(page).getByRole('button', { name: 'Suspend the account' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('insults others');
    await submit.click();
    await page.getByText('eve is suspended.').waitFor();
    await page.getByText('insults others').waitFor();
    await button(page, 'End the suspension').click();
    await dialog(page).getByRole('button', { name: 'End the suspension' }).click();
    await page.getByText('eve can use the account again.').waitFor();
    for (const becomes of ['an administrator', 'an ordinary user']) {
      await button(page, `Make ${becomes}`).click();
      await dialog(page)
        .getByRole('button', { name: `Make ${becomes}` })
        .click();
      await page.getByText(`eve is ${becomes} now.`).waitFor();
    }
  });

  test('are deleted only after their name was typed', async () => {
    const page = await open(ada, `/admin/users/${eve.id}`);
    await button(page, 'Delete the account').click();
    const submit = dialog(page).getByRole('button', { name: 'Delete the account' });
    await page.getByLabel('Type eve to confirm').fill('ev');
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('Type eve to confirm').fill('eve');
    await submit.click();
    await page.getByText(/eve will be deleted on/).waitFor();
    await page.getByText(/deleted on .*, unless the user logs in before then and keeps it/).waitFor();
  });

  test('that do not exist are not found', async () => {
    const page = await open(ada, '/admin/users/999999');
    await page.getByRole('alert').waitFor();
    await page.goto(`${stage.baseUrl}/admin/users/x`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});

test('a page and a function are taken down with a reason that their owner sees, and restored', async () => {
  const page = await open(ada, '/admin/pages/bea');
  await page.getByText('1 page', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Take down /p/cheap-watches' }).click();
  await page.getByLabel('Reason').fill('sells nothing');
  await button(page, 'Take it down').click();
  await page.getByText('/p/cheap-watches is taken down.').waitFor();
  await page.getByLabel('State').selectOption('Drafts');
  await page.getByRole('heading', { name: 'No pages found' }).waitFor();

  await page.goto(`${stage.baseUrl}/admin/functions`);
  await page.getByLabel('Search functions').fill('sender');
  await page.getByText('1 function', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Take down sender' }).click();
  await page.getByLabel('Reason').fill('sends spam');
  await button(page, 'Take it down').click();
  await page.getByText('sender is taken down.').waitFor();

  const owner = await open(bea, '/pages');
  await owner.getByText('Taken down: sells nothing').waitFor();
  await owner.goto(`${stage.baseUrl}/pages/${shop.id}/settings`);
  await owner.getByText('Taken down: sells nothing').waitFor();
  await owner.goto(`${stage.baseUrl}/functions`);
  await owner.getByText('Taken down: sends spam').waitFor();
  await owner.goto(`${stage.baseUrl}/functions/sender/settings`);
  await owner.getByText('Taken down: sends spam').waitFor();
  await owner.goto(`${stage.baseUrl}/account/activity`);
  await owner.getByText('took down the page /p/cheap-watches: sells nothing').waitFor();

  await page.getByRole('button', { name: 'Restore sender' }).click();
  await button(page, 'Restore it').click();
  await page.getByText('sender is restored.').waitFor();
});

test('the registration mode is changed, and invites are made, mailed and revoked', async () => {
  const page = await open(ada, '/admin/registration');
  await page.getByRole('heading', { name: 'No invites' }).waitFor();
  await page.getByLabel('By invite').check();
  await page.getByText('Registration: by invite.').waitFor();
  await button(page, 'New invite').click();
  await page.getByLabel('How many people can use it').fill('1001');
  await page.getByText('Enter a number from 1 to 1,000.').waitFor();
  expect(await button(page, 'Create invite').isDisabled()).toBe(true);
  await page.getByLabel('How many people can use it').fill('3');
  await page.getByLabel('Send it to').fill('olga@example.com');
  await button(page, 'Create invite').click();
  await dialog(page)
    .getByText(/\/register\?invite=/)
    .waitFor();
  await smtp.nextMail('olga@example.com');
  await button(page, 'Done').click();
  await page.getByText('0 of 3').waitFor();
  await page.getByRole('button', { name: 'Revoke the invite for olga@example.com' }).click();
  await button(page, 'Revoke it').click();
  await page.getByText('The invite is revoked.').waitFor();
});

test('a page is removed from the gallery with a reason, and allowed again', async () => {
  const advert = await stage.publish(bea, '<!doctype html><p>Buy', { name: 'An advert' });
  const body = { is_listed: true, name: 'An advert that never ends '.repeat(4).trim() };
  const path = `/api/pages/${advert.id}`;
  expect((await stage.call('PATCH', path, { token: bea.token, body })).status).toBe(200);
  // A long name does not widen its card in the gallery.
  const guest = await stage.enter();
  await guest.goto(`${stage.baseUrl}/gallery`);
  const card = guest.locator('.gallery-card', { hasText: 'An advert' });
  const widths = await Promise.all(
    [card, card.locator('.gallery-open > :first-child')].map((part) => part.boundingBox()),
  );
  expect(widths[1]?.width).toBeLessThanOrEqual(widths[0]?.width ?? 0);
  const page = await open(ada, '/admin/pages');
  await page.getByRole('button', { name: 'Remove /p/an-advert from the gallery' }).click();
  await dialog(page).getByLabel('Reason').fill('an advert');
  await button(page, 'Remove it').click();
  await page.getByText('Removed from the gallery').waitFor();
  const owner = await open(bea, `/pages/${advert.id}/settings`);
  await owner.getByText('An administrator removed the page from the gallery: an advert').waitFor();
  const list = owner.getByRole('switch', { name: 'Show in the gallery of this server' });
  expect(await list.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Allow /p/an-advert in the gallery' }).click();
  await page.getByText('can add it to the gallery again').waitFor();
});

test('a page that was published without an account is marked, found by its state, and taken down', async () => {
  const html_content = '<!doctype html><title>Win a prize</title><p>Your card number?';
  const { slug } = (await stage.call('POST', '/api/publish', { body: { html_content } })).body;
  const page = await open(ada, '/admin/pages');
  await page.getByRole('row').filter({ hasText: slug }).getByText('Not claimed').waitFor();
  await page.getByLabel('State').selectOption('Not claimed');
  await page.getByText('1 page', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'anonymous pages' }).waitFor();
  await expectUsable(page);
  await button(page, `Take down /p/${slug}`).click();
  await dialog(page).getByText('Nobody can see or claim the page.').waitFor();
  await dialog(page).getByLabel('Reason').fill('asks for card numbers');
  await button(page, 'Take it down').click();
  await page.getByText(`/p/${slug} is taken down.`).waitFor();
  const guest = await stage.enter();
  expect((await guest.goto(`${stage.baseUrl}/p/${slug}`))?.status()).toBe(451);
});

test('the server gets a name, a color and a logo, which everyone sees', async () => {
  const page = await open(ada, '/admin/instance');
  await page.getByLabel('Name').fill('Acme pages');
  await page.getByLabel('Tagline').fill('Pages by Acme');
  await page.getByLabel('Color').fill('#ffee00');
  const preview = page.locator('.instance-previews figure').first();
  await preview.getByText('Acme pages').waitFor();
  await button(page, 'Save').click();
  await page.getByText('Saved. Everyone sees it now').waitFor();
  const svg = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') };
  await page.getByLabel('Logo').setInputFiles(svg);
  await page.getByText('The logo must be a PNG, JPEG or WebP picture.').waitFor();
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
  await page.getByLabel('Logo').setInputFiles(logo);
  await button(page, 'Remove the logo').waitFor();

  const guest = await stage.reuse();
  await guest.goto(stage.baseUrl);
  await guest.getByRole('heading', { level: 1, name: 'Pages by Acme' }).waitFor();
  await expectReadable(guest);
  await guest.goto(`${stage.baseUrl}/login`);
  await guest.locator('img.mark').waitFor();
  expect(await guest.title()).toBe('Log in · Acme pages');
  await expectReadable(guest);
  await page.goto(`${stage.baseUrl}/pages`);
  await page.getByRole('link', { name: 'Acme pages, home' }).waitFor();
  await expectReadable(page);
  await page.goto(`${stage.baseUrl}/admin/instance`);
  await button(page, 'Use the default color').click();
  await page.getByLabel('Name').fill('Quire');
  await button(page, 'Save').click();
  await page.getByText('Saved. Everyone sees it now').waitFor();
});

test('the audit log says who did what, and can be searched', async () => {
  await stage.call('GET', '/api/auth/me', { token: bea.token });
  const page = await open(ada, '/admin/audit');
  await page.getByText('suspended eve: insults others').waitFor();
  await page.getByText('opened registration to people with an invite').waitFor();
  await page.getByLabel('What', { exact: true }).selectOption('Pages');
  await page.getByText('took down the page /p/cheap-watches: sells nothing').waitFor();
  await page.getByText('suspended eve: insults others').waitFor({ state: 'detached' });
  await page.getByLabel('Who').fill('bea');
  await page.getByText('No entry matches these filters.').waitFor();
});

test('the storage report names who stores the most', async () => {
  const page = await open(ada, '/admin/storage');
  await page.getByRole('heading', { name: 'Disk' }).waitFor();
  await page.getByRole('link', { name: 'bea', exact: true }).waitFor();
});

test('providers are tested by a button, and a failure says why', async () => {
  const page = await open(ada, '/admin/providers');
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Mail' }) });
  await card.getByRole('button', { name: 'Test mail', exact: true }).click();
  await card.getByText('No mail was sent.').waitFor();
  await card.getByRole('button', { name: 'Send a test mail' }).click();
  smtp.behave('refuse');
  await page.getByLabel('Send it to', { exact: true }).fill('olga@example.com');
  await button(page, 'Send').click();
  await card.getByText('Does not work.').waitFor();
  await card.getByText('550').waitFor();
  smtp.behave('accept');
});

test('a model is connected, tested and disconnected without a restart', async () => {
  const vendor = await startToolVendor();
  try {
    const page = await open(ada, '/admin/providers');
    await page.getByRole('link', { name: 'Connect AI chat' }).click();
    await page.getByRole('radio', { name: 'Other' }).check();
    await page.getByLabel('Address of the API').fill(vendor.url);
    await page.getByLabel('API key, if it needs one').fill('sk-0123456789-wxyz');
    await page.getByLabel('Model', { exact: true }).fill('model-x');
    vendor.play(() => ({ status: 404, error: { message: 'The model does not exist' } }));
    await button(page, 'Save').click();
    await page.getByText('The provider does not know this model.').waitFor();
    await button(page, 'Save without a test').waitFor();
    await button(page, 'model-b').click();
    vendor.play([{ text: 'I only talk.' }]);
    await button(page, 'Test').click();
    await page.getByText('The model answers, but cannot call tools.').waitFor();
    vendor.play([{ calls: [{ name: 'report', input: { word: 'OK' } }] }]);
    await button(page, 'Test').click();
    await page.getByText('It answered and called a tool').waitFor();
    await button(page, 'Save').click();
    await page.getByText('••••wxyz').waitFor();
    expect(await page.content()).not.toContain('sk-0123456789');

    vendor.play(() => ({ status: 401, error: { message: 'This key has been revoked.' } }));
    const body = { prompt: 'A page about bees' };
    await stage.call('POST', '/api/builder', { token: ada.token, body });
    await page.goto(`${stage.baseUrl}/admin`);
    await page.getByText('AI chat: This key was revoked').waitFor();
    await page.getByRole('link', { name: 'See the provider' }).click();
    await page.getByText('A key that ends with wxyz is saved.').waitFor();
    await page.goto(`${stage.baseUrl}/admin/providers`);
    await page.getByRole('button', { name: 'Disconnect AI chat' }).click();
    await button(page, 'Disconnect').last().click();
    await page.getByRole('link', { name: 'Connect AI chat' }).waitFor();
  } finally {
    await vendor.stop();
  }
});

test('a backup is made, downloaded and deleted', async () => {
  const page = await open(ada, '/admin/backups');
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor();
  await button(page, 'Back up now').click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download the backup of/ }).click();
  expect((await saved).suggestedFilename()).toMatch(/^backup-.*\.tar\.gz$/);
  await page.getByText(/^quire restore --drill$/).waitFor();
  await page.getByText(/quire restore .*backup-.*\.tar\.gz/).waitFor();
  await page.getByRole('button', { name: /^Delete the backup of/ }).click();
  await button(page, 'Delete it').click();
  await page.getByText('The backup is deleted.').waitFor();
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor();
});

test('a screen that cannot be loaded says so, and can be tried again', async () => {
  const page = await stage.reuse(ada);
  await page.route(
    '**/api/admin/storage',
    (route) => route.fulfill({ status: 503, json: { error: 'Not now.' } }),
    {
      times: 1,
    },
  );
  await page.goto(`${stage.baseUrl}/admin/storage`);
  await page.getByRole('alert').getByText('Not now.').waitFor();
  await button(page, 'Try again').click();
  await page.getByRole('heading', { name: 'Disk' }).waitFor();
});

test('nobody else sees any of it', async () => {
  const page = await open(bea, '/admin/backups');
  await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
  await page.getByRole('link', { name: 'Account' }).waitFor();
  expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  expect((await stage.call('GET', '/api/admin/health', { token: bea.token })).status).toBe(403);
});

const SCREENS = [
  'health',
  'users',
  'pages',
  'functions',
  'reports',
  'instance',
  'registration',
  'audit',
  'storage',
  'providers',
  'providers/chat',
  'backups',
];

test.each(['/admin', ...SCREENS.map((name) => `/admin/${name}`)])(
  '%s is accessible and fits a phone',
  async (path) => {
    const page = await stage.reuse(ada);
    const complaints = watchComplaints(page);
    await page.goto(stage.baseUrl + path);
    await page.locator('.section').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await expectUsable(page);
    expect(complaints).toEqual([]);
  },
);

test('a backup that failed says why in the language of the person, and in the words of others as they are', async () => {
  const db = new Database(join(stage.dataFolder, 'quire.db'));
  const fail = (problem: string) =>
    db.run(
      `insert or replace into backup_runs (slot, name, started_at, seen_at, bytes, problem)
       values (1, 'backup-2026-11-16T16-10-00Z-1.tar.gz', 1, 1, 0, ?)`,
      [problem],
    );
  db.run('pragma busy_timeout = 10000');
  fail('The archive should hold 3 rows of pages and holds 2.');
  const context = await newContext({ locale: 'de-DE' });
  await context.addCookies(await (await stage.reuse(ada)).context().cookies());
  const page = await context.newPage();
  await page.goto(`${stage.baseUrl}/admin/backups`);
  await page.getByText('Das Archiv müsste 3 Zeilen von pages enthalten und enthält 2.').waitFor();
  await expectReadable(page);
  fail('EACCES: permission denied');
  await page.reload();
  await page.getByText('EACCES: permission denied').waitFor();
  db.run('delete from backup_runs');
  db.close();
});

test('the screen of a user and its dialogs are accessible', async () => {
  const page = await stage.reuse(ada);
  const complaints = watchComplaints(page);
  await page.goto(`${stage.baseUrl}/admin/users/${bea.id}`);
  await button(page, 'Delete the account').waitFor();
  await expectUsable(page);
  await button(page, 'Delete the account').click();
  await dialog(page).waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
