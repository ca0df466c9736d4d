import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, openStage, type Stage } from '../support/browser/stage.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';
import { expectUsable } from './pages/publish.ts';

/** Mail that people cause in the dashboard and on pages. It needs a service that sends mail. */

let smtp: TestSmtp;
let stage: Stage;
beforeAll(async () => {
  smtp = await startSmtp();
  stage = await openStage('origin', { QUIRE_SMTP_URL: smtp.url });
});
afterAll(async () => {
  await stage.close();
  await smtp.stop();
});
afterEach(closeTabs);

test('an owner confirms their address, gets mail about a message, and turns it off', async () => {
  const owner = await stage.register('olga');
  const address = 'olga@example.com';
  const tab = await stage.reuse(owner);
  const [confirm = ''] = (await smtp.nextMail(address, /Confirm/)).links;
  await tab.goto(confirm);
  await tab.getByRole('button').click();
  await tab.getByRole('heading', { name: 'The address is confirmed' }).waitFor();

  const html =
    '<!doctype html><title>t</title><form data-quire-form="contact"><input name="text"><button>Send</button></form>';
  const page = await stage.publish(owner, html, { name: 'Bakery' });
  const visitor = await stage.enter();
  await visitor.goto(page.url);
  await visitor.locator('input[name=text]').fill('Are you open on Sunday?');
  await visitor.getByRole('button', { name: 'Send' }).click();
  const mail = await smtp.nextMail(address, /Bakery/);
  expect(mail.text).toContain('> text: Are you open on Sunday?');

  const complaints = watchComplaints(tab);
  await tab.goto(mail.links[0] ?? '');
  await tab.getByText('Are you open on Sunday?').first().waitFor();
  const notices = tab.getByRole('switch', { name: 'Mail about new messages' });
  expect(await notices.isChecked()).toBe(true);
  await expectUsable(tab);
  const saved = tab.waitForResponse((response) => response.request().method() === 'PATCH');
  await notices.uncheck();
  expect((await saved).status()).toBe(200);
  await tab.reload();
  await notices.waitFor();
  expect(await notices.isChecked()).toBe(false);
  expect(complaints).toEqual([]);
});

test('an owner sends an invite to a team, and the person who gets it joins', async () => {
  const owner = await stage.register('otto');
  const guest = await stage.register('gina');
  const html = '<!doctype html><title>Plans</title>';
  const page = await stage.publish(owner, html, { name: 'Garden plans', storage_mode: 'team_app' });
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/team`);
  const address = tab.getByLabel('Or send it by e-mail');
  const send = tab.getByRole('button', { name: 'Send invite', exact: true });
  await tab.getByRole('button', { name: 'Copy invite link', exact: true }).waitFor();

  await address.fill('gina@example');
  await send.click();
  await tab.getByText('This must be an e-mail address.').waitFor();
  // Several at once: what one has wrong stays in the field, and the others are sent.
  await address.fill('Ada <ada@example.com>, bob@example.com\nnobody@example');
  await tab.getByRole('button', { name: 'Send 3 invites' }).click();
  await tab.getByText('2 invites are on their way to ada@example.com, bob@example.com.').waitFor();
  expect(await address.inputValue()).toBe('nobody@example');
  for (const name of ['ada', 'bob'])
    await tab.getByRole('button', { name: `Revoke the invite for ${name}@example.com` }).waitFor();

  const complaints = watchComplaints(tab);
  await address.fill('gina@example.com');
  await send.click();
  await tab.getByText('The invite is on its way to gina@example.com.').waitFor();
  expect(await address.inputValue()).toBe('');
  const invites = tab.getByRole('region', { name: 'Open invites' }).locator('tbody tr');
  await invites.getByText('Sent to gina@example.com').waitFor();
  await invites.getByText('Used 0 of one time').first().waitFor();
  await tab.getByRole('button', { name: 'Revoke the invite for gina@example.com' }).waitFor();
  await expectUsable(tab);

  const mail = await smtp.nextMail('gina@example.com', /team/);
  expect(mail.subject).toBe('otto invites you to the team of “Garden plans”');
  const gina = await stage.reuse(guest);
  await gina.goto(mail.links[0] ?? '');
  await gina.getByRole('button', { name: 'Join' }).click();
  await gina.waitForURL(page.address);
  await tab.reload();
  await tab.getByLabel('Role of gina').waitFor();
  expect(complaints).toEqual([]);
});
