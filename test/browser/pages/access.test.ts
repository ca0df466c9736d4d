import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  logIn,
  newContext,
  openStage,
  type Person,
  type Published,
  type Stage,
} from '../../support/browser/stage.ts';

/** What people see of a page that is not for everyone, and how they get in. */

const HTML = `<!doctype html><title>Zanzibar</title><h1>Turquoise</h1><p id="who">…</p>
<script>PageUser && fetch('/api/pages/{{PAGE_ID}}/visitor').then((r) => { who.textContent = 'visitor ' + r.status; });</script>`;

describe.each(['origin', 'sandbox', 'trusted'] as const)('in %s isolation', (isolation) => {
  let stage: Stage;
  let owner: Person;
  let friend: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await openStage(isolation);
    owner = await stage.register('olga');
    friend = await stage.register('friend');
    page = await stage.publish(owner, HTML);
  });
  afterAll(() => stage.close());
  afterEach(closeTabs);

  const close = (access: object) =>
    stage.call('PATCH', `/api/pages/${page.id}`, { token: owner.token, body: { access } });

  test('asks for the password, says that it was wrong, and opens the page', async () => {
    await close({ mode: 'password', password: 'open sesame' });
    const tab = await stage.enter();
    const response = await tab.goto(page.url);
    expect(response?.status()).toBe(403);
    expect(await tab.content()).not.toMatch(/zanzibar|turquoise/i);
    expect(await seriousFindings(tab)).toEqual([]);
    // The field has the focus: no mouse is needed.
    await tab.keyboard.type('wrong');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alert').waitFor();
    expect(await tab.getByRole('alert').textContent()).toContain('This password is wrong.');
    expect(await seriousFindings(tab)).toEqual([]);
    await tab.setViewportSize({ width: 390, height: 844 });
    await tab.emulateMedia({ colorScheme: 'dark' });
    await tab.keyboard.type('open sesame');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'Turquoise' }).waitFor();
    // The page's script is let in too.
    await tab.getByText('visitor 200').waitFor();
    await tab.reload();
    await tab.getByText('visitor 200').waitFor();
    await close({ mode: 'password', password: 'another' });
    await tab.reload();
    await tab.getByRole('heading', { name: 'This page has a password' }).waitFor();
  });

  test('takes the message of a form without JavaScript, or says that it was not sent', async () => {
    const html =
      '<form data-quire-form="contact"><input name="text" value="hello"><button>Send</button></form>';
    const contact = await stage.publish(owner, html, {
      access: { mode: 'password', password: 'open sesame' },
    });
    const tab = await (await newContext({ javaScriptEnabled: false })).newPage();
    await tab.goto(contact.url);
    await tab.getByLabel('Password').fill('open sesame');
    await tab.getByRole('button', { name: 'Open the page' }).click();
    await tab.getByRole('button', { name: 'Send' }).click();
    // From a sandbox, the browser sends no cookies with a form.
    const isSent = isolation !== 'sandbox';
    await tab.getByRole('heading', { name: isSent ? 'Thank you' : 'Your message was not sent' }).waitFor();
    if (!isSent) await tab.getByText('Turn on JavaScript, open the page again').waitFor();
    const path = `/api/pages/${contact.id}/forms/contact`;
    const { body } = await stage.call('GET', path, { token: owner.token });
    expect(body.total ?? 0).toBe(isSent ? 1 : 0);
  });

  test('asks for a login, and lets in who is named', async () => {
    await close({ mode: 'people', people: ['friend'] });
    const tab = await stage.enter();
    expect((await tab.goto(page.url))?.status()).toBe(403);
    expect(await seriousFindings(tab)).toEqual([]);
    await tab.getByRole('link', { name: 'Log in' }).click();
    await logIn(tab, friend);
    await tab.getByRole('heading', { name: 'Turquoise' }).waitFor();
    await tab.getByText('visitor 200').waitFor();
    await close({ mode: 'people', people: ['somebody'] });
    await tab.goto(page.url);
    await tab.getByRole('heading', { name: 'You cannot see this page' }).waitFor();
    expect(await tab.content()).toContain('friend');
  });
});
