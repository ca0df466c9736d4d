import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable } from '../support/browser/accessibility.ts';
import {
  closeTabs,
  newContext,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../support/browser/stage.ts';

/** Forms of pages, with and without script. */

const HTML = `<!doctype html><html lang="en"><title>Contact</title><main><h1>Contact</h1>
<form data-quire-form="contact">
  <label>Name <input name="name" required></label>
  <label>Message <textarea name="message"></textarea></label>
  <label>Photos <input name="photo" type="file" multiple></label>
  <input name="_gotcha" hidden>
  <button name="button" value="pressed">Send</button>
</form>
<form data-quire-form="leaving" id="leaving">
  <input type="hidden" name="_next" value="/?sent#thanks"><input type="hidden" name="a" value="b">
  <button>Leave</button>
</form></main>`;

describe.each(['origin', 'sandbox'] as const)('in %s isolation', (isolation) => {
  let stage: Stage;
  let owner: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await sharedStage(isolation);
    owner = await stage.register(`olga-forms-${isolation}`);
    page = await stage.publish(owner, HTML, { name: 'Contact us' });
  });
  afterEach(closeTabs);

  async function visit(options: { javaScriptEnabled?: boolean; person?: Person } = {}): Promise<Page> {
    const tab = options.person
      ? await stage.enter(options.person)
      : await (await newContext({ javaScriptEnabled: options.javaScriptEnabled ?? true })).newPage();
    await tab.goto(page.url);
    return tab;
  }

  async function newest(form: string) {
    const path = `/api/pages/${page.id}/forms/${form}`;
    const { messages, total } = (await stage.call('GET', path, { token: owner.token })).body;
    return { message: messages[0], total };
  }

  const photo = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(name) });

  test('a plain form works without JavaScript, and keeps what was typed if it fails', async () => {
    const tab = await visit({ javaScriptEnabled: false });
    const button = tab.getByRole('button', { name: 'Send' });
    await tab.getByLabel('Name').fill('x'.repeat(20_001));
    await button.click();
    await tab.getByRole('heading', { name: 'Your message was not sent' }).waitFor();
    await tab.goBack();
    expect(await tab.getByLabel('Name').inputValue()).toBe('x'.repeat(20_001));

    await tab.getByLabel('Name').fill('Ada');
    await tab.getByLabel('Message').fill('one\ntwo');
    await tab.getByLabel('Photos').setInputFiles([photo('a.png'), photo('b.png')]);
    await button.click();
    await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
    const { message } = await newest('contact');
    expect(message.fields).toEqual({ name: 'Ada', message: 'one\ntwo', button: 'pressed' });
    expect(message.files.map(({ name }: { name: string }) => name)).toEqual(['a.png', 'b.png']);
    await tab.getByRole('link', { name: 'Back to Contact us' }).click();
    await tab.getByRole('heading', { name: 'Contact', exact: true }).waitFor();
    expect(tab.url()).toBe(page.address);

    await tab.getByRole('button', { name: 'Leave' }).click();
    await tab.waitForURL(`${page.address}?sent#thanks`);
    expect((await newest('leaving')).message.fields).toEqual({ a: 'b' });
  });

  test('with JavaScript it is sent without leaving the page, and says what happened', async () => {
    const tab = await visit();
    const form = tab.locator('form').first();
    await tab.getByLabel('Name').fill('x'.repeat(20_001));
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.locator('form[data-quire-state=error]').waitFor();
    expect(await form.getByRole('status').textContent()).toBe('name: is longer than 20,000 characters.');
    expect(await tab.getByLabel('Name').inputValue()).toHaveLength(20_001);

    await tab.getByLabel('Name').fill('Grace');
    await tab.getByLabel('Photos').setInputFiles([photo('c.png')]);
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.locator('form[data-quire-state=sent]').waitFor();
    expect(await form.getByRole('status').textContent()).toBe('Thank you. Your message was sent.');
    expect(await form.getAttribute('aria-busy')).toBe('false');
    expect(await tab.getByLabel('Name').inputValue()).toBe('');
    expect(tab.url()).toBe(page.address);
    expect((await newest('contact')).message).toMatchObject({
      fields: { name: 'Grace', message: '', button: 'pressed' },
      files: [{ name: 'c.png', contentType: 'image/png' }],
    });

    await tab.getByRole('button', { name: 'Leave' }).click();
    await tab.waitForURL(`${page.address}?sent#thanks`);
  });

  test('the forms of a page with a password work, also those that lead on', async () => {
    const closed = await stage.publish(owner, HTML, {
      access: { mode: 'password', password: 'open sesame' },
    });
    const tab = await (await newContext()).newPage();
    await tab.goto(closed.url);
    await tab.getByLabel('Password').fill('open sesame');
    await tab.keyboard.press('Enter');
    await tab.getByLabel('Name').fill('Ada');
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.getByText('Thank you. Your message was sent.').waitFor();
    await tab.getByRole('button', { name: 'Leave' }).click();
    await tab.waitForURL(/\?sent#thanks$/);
    await tab.getByRole('heading', { name: 'Contact', exact: true }).waitFor();
    const { body } = await stage.call('GET', `/api/pages/${closed.id}/forms`, { token: owner.token });
    expect(body.forms.map(({ name }: { name: string }) => name)).toEqual(['leaving', 'contact']);
  });

  test('PageForms.submit sends objects, forms and files, and rejects with the reason', async () => {
    const tab = await visit({ person: owner });
    const before = (await newest('api')).total;
    const submit = (data: string) => tab.evaluate<unknown>(`PageForms.submit('api', ${data})`);
    expect(
      await submit(
        `{ a: 1, b: [true, 'x'], none: undefined, _next: '/x', file: new File(['hi'], 'hi.txt') }`,
      ),
    ).toEqual({
      success: true,
      message: 'Thank you. Your message was sent.',
    });
    const { message } = await newest('api');
    expect(message.fields).toEqual({ a: '1', b: ['true', 'x'] });
    expect(message.files).toMatchObject([{ field: 'file', name: 'hi.txt', size: 2 }]);
    expect(await submit(`document.getElementById('leaving')`)).toMatchObject({ success: true });
    expect(await submit(`{ a: 'x', _gotcha: 'bot' }`)).toMatchObject({ success: true });
    expect((await newest('api')).total).toBe(before + 2);
    const refused = (code: string) =>
      tab.evaluate<unknown>(`${code}.catch(({ status, code }) => [status, code])`);
    expect(await refused(`PageForms.submit('api', {})`)).toEqual([400, 'BAD_REQUEST']);
    expect(await refused(`PageForms.submit('no name', { a: 'b' })`)).toEqual([0, 'BAD_REQUEST']);
  });

  test("the author's own handler and forms added later work", async () => {
    const tab = await visit();
    await tab.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<form data-quire-form="late" data-quire-sent="Danke!" id="late"><input name="reset" value="1"><i data-quire-message></i><button>Late</button></form>' +
      '<form data-quire-form="own" onsubmit="event.preventDefault(); window.mine = true"><button name="a" value="b">Own</button></form>')`);
    await tab.getByRole('button', { name: 'Late' }).click();
    await tab.locator('#late[data-quire-state=sent]').waitFor();
    expect(await tab.locator('#late i').textContent()).toBe('Danke!');
    expect((await newest('late')).message.fields).toEqual({ reset: '1' });
    await tab.getByRole('button', { name: 'Own' }).click();
    expect(await tab.evaluate<boolean>('window.mine')).toBe(true);
    expect((await newest('own')).total).toBe(0);
  });
});

test('the screens of forms are accessible in light and dark mode', async () => {
  const stage = await sharedStage('origin');
  const owner = await stage.register('olga-forms-screens');
  const page = await stage.publish(owner, HTML, { name: 'Contact us' });
  const tab = await stage.enter();
  for (const [name, heading] of [
    ['Ada', 'Thank you'],
    ['x'.repeat(20_001), 'Your message was not sent'],
  ] as const) {
    await tab.goto(page.url);
    await tab.getByLabel('Name').fill(name);
    // Unlike a click, this does not ask the script.
    await tab.evaluate('document.forms[0].submit()');
    await tab.getByRole('heading', { name: heading }).waitFor();
    await expectReadable(tab);
  }
});
afterEach(closeTabs);
