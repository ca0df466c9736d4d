import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectUsable } from '../../dashboard/pages/publish.ts';
import { expectReadable } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  loggedInAs,
  logIn,
  newContext,
  type Person,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';

/** Passkeys as people use them, with a real browser and an authenticator in it. */

let stage: Stage;
beforeAll(async () => {
  stage = await sharedStage('origin');
});
afterEach(closeTabs);

/**
 * Puts an authenticator into the tab, which confirms every request. It also confirms what the
 * browser would only suggest, so nothing is suggested unless the URL says so.
 */
async function plugIn(tab: Page): Promise<void> {
  await tab.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = async () => location.search.includes("suggests")',
  );
  const session = await tab.context().newCDPSession(tab);
  await session.send('WebAuthn.enable', { enableUI: false });
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function openPasskeys(person: Person): Promise<Page> {
  const tab = await stage.enter(person);
  await plugIn(tab);
  await tab.goto(`${stage.baseUrl}/account/security`);
  return tab;
}

async function addPasskey(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Add a passkey' }).click();
  await tab.getByRole('status').getByText('Added the passkey').waitFor();
}

/** Turns the second factor on and returns the recovery codes. */
async function turnOn(tab: Page): Promise<string[]> {
  await tab.getByRole('switch', { name: 'Ask for a passkey after my password' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Save your recovery codes' });
  await dialog.getByRole('listitem').first().waitFor();
  const codes = await dialog.getByRole('listitem').allTextContents();
  await expectReadable(tab);
  expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await dialog.getByRole('checkbox', { name: 'I have saved them' }).check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await tab.getByText('You have 10 recovery codes left').waitFor();
  return codes;
}

describe('a passkey', () => {
  test('is added, renamed, logs in alone, and is removed', async () => {
    const ada = await stage.register('ada-passkey');
    const tab = await openPasskeys(ada);
    await tab.getByRole('heading', { name: 'No passkeys yet' }).waitFor();
    expect(await tab.getByRole('switch').isDisabled()).toBe(true);
    await addPasskey(tab);
    await expectUsable(tab);
    await tab.getByRole('button', { name: /^Rename/ }).click();
    await tab.getByLabel('Name', { exact: true }).fill('My laptop');
    await tab.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await tab.getByRole('row', { name: /My laptop/ }).waitFor();

    // The device has a passkey already.
    await tab.getByRole('button', { name: 'Add a passkey' }).click();
    await tab.getByText('This device already has a passkey for this account').waitFor();

    await tab.context().clearCookies();
    await tab.goto(`${stage.baseUrl}/login?next=/account/security`);
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click();
    await tab.getByRole('row', { name: /My laptop/ }).waitFor();

    await tab.context().clearCookies();
    await tab.goto(`${stage.baseUrl}/login?next=/account/security&suggests`);
    await tab.getByRole('row', { name: /My laptop/ }).waitFor();

    await tab.getByRole('button', { name: 'Remove My laptop' }).click();
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await tab.getByRole('heading', { name: 'No passkeys yet' }).waitFor();
    await tab.context().clearCookies();
    await tab.goto(`${stage.baseUrl}/login`);
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click();
    await tab.getByRole('alert').getByText('This passkey was not accepted').waitFor();
    expect(await loggedInAs(tab, stage)).toBeUndefined();
  });

  test('follows the password, or a recovery code does', async () => {
    const bob = await stage.register('bob-passkey');
    const tab = await openPasskeys(bob);
    await addPasskey(tab);
    const codes = await turnOn(tab);
    expect(codes.length).toBe(10);

    const enterPassword = async () => {
      await tab.context().clearCookies();
      await tab.goto(`${stage.baseUrl}/login?next=/account/security`);
      await logIn(tab, bob);
      await tab.getByRole('heading', { name: 'Use your passkey' }).waitFor();
    };
    await enterPassword();
    await expectReadable(tab);
    await tab.getByRole('button', { name: 'Continue with a passkey' }).click();
    await tab.getByText('You have 10 recovery codes left').waitFor();

    await enterPassword();
    await tab.getByLabel('Recovery code').fill('wrong');
    await tab.getByRole('button', { name: 'Use a recovery code' }).click();
    await tab.getByRole('alert').getByText('not one of your recovery codes').waitFor();
    await tab.getByLabel('Recovery code').fill(codes[4] ?? '');
    await tab.getByRole('button', { name: 'Use a recovery code' }).click();
    await tab.getByText('You have 9 recovery codes left').waitFor();

    // Without the last passkey, the password is enough.
    await tab.getByRole('button', { name: /^Remove/ }).click();
    await tab.getByText('It is your last one.').waitFor();
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await tab.getByRole('heading', { name: 'No passkeys yet' }).waitFor();
    expect(await tab.getByRole('switch').isChecked()).toBe(false);
  });
});

describe('without passkeys', () => {
  test('the login screen has no button, and works', async () => {
    const cleo = await stage.register('cleo-passkey');
    const context = (await stage.enter()).context();
    await context.addInitScript('delete window.PublicKeyCredential');
    const tab = await context.newPage();
    await tab.goto(`${stage.baseUrl}/login?next=/account/security`);
    await tab.waitForLoadState('load');
    expect(await tab.getByRole('button').allTextContents()).toEqual(['Log in']);
    await logIn(tab, cleo);
    await tab.getByText('This browser does not support passkeys').waitFor();
    expect(await tab.getByRole('button', { name: 'Add a passkey' }).isDisabled()).toBe(true);
  });

  test('the login screen complains only if somebody presses the button', async () => {
    const tab = await stage.enter();
    await tab.addInitScript(`
      PublicKeyCredential.isConditionalMediationAvailable = async () => true;
      navigator.credentials.get = async ({ mediation }) => {
        if (mediation === 'conditional') setTimeout(() => { window.hasRefused = true; });
        throw new Error('No passkeys today.');
      };`);
    await tab.goto(`${stage.baseUrl}/login`);
    // Playwright's own waiting evaluates text, which the policy of the screen forbids.
    await waitUntil(() => tab.evaluate<boolean>('window.hasRefused === true'));
    expect(await tab.getByRole('alert').count()).toBe(0);
    await tab.getByRole('button', { name: 'Log in with a passkey' }).click();
    await tab.getByRole('alert').getByText('No passkeys today.').waitFor();
  });

  test('the login screen complains in the language of the person', async () => {
    const context = await newContext({ locale: 'de' });
    await context.addInitScript(`
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      navigator.credentials.get = async () => { throw new DOMException('No.', window.failure); };`);
    const tab = await context.newPage();
    await tab.goto(`${stage.baseUrl}/login`);
    const press = async (failure: string, text: string) => {
      await tab.evaluate(`window.failure = '${failure}'`);
      await tab.getByRole('button', { name: 'Mit einem Passkey anmelden' }).click();
      await tab.getByRole('alert').getByText(text).waitFor();
    };
    await press('NotAllowedError', 'Abgebrochen, oder es wurde kein Passkey gefunden.');
    await press('SecurityError', 'Passkeys funktionieren unter dieser Adresse nicht.');
    const error = 'This passkey was not accepted. Try again, or log in another way.';
    await tab.route('**/passkey-login/options', (route) => route.fulfill({ status: 401, json: { error } }));
    await press('', 'Dieser Passkey wurde nicht angenommen.');
    await tab.unroute('**/passkey-login/options');
    await tab.route('**/passkey-login/options', (route) => route.abort());
    await press('', 'Der Server ist nicht erreichbar.');
  });

  test('the dashboard says why', async () => {
    const plain = await sharedStage('sandbox on a plain network');
    const tab = await plain.enter(await plain.register('dora-passkey'));
    await tab.goto(`${plain.baseUrl}/account/security`);
    await tab.getByText('Passkeys need HTTPS').waitFor();
    await expectReadable(tab);
  });
});
