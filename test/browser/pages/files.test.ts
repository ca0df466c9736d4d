import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { FOUND, found, SITE } from './site.ts';

/** A site of several files, as a folder on a computer: everything in it loads, wherever the page is. */

async function putFiles(stage: Stage, owner: Person, { id }: Published): Promise<void> {
  const form = new FormData();
  for (const [path, content] of Object.entries(SITE)) form.append(path, new File([content], path));
  const address = `${stage.baseUrl}/api/pages/${id}/files`;
  const headers = { authorization: `Bearer ${owner.token}` };
  const response = await fetch(address, { method: 'PUT', headers, body: form });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

afterEach(closeTabs);

describe.each(['origin', 'sandbox'] as const)('in %s isolation', (setting) => {
  let stage: Stage;
  let owner: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await sharedStage(setting);
    owner = await stage.register('olga-files');
    page = await stage.publish(owner, '<p>', { name: 'Folder' });
    await putFiles(stage, owner, page);
  });

  test('images, styles, fonts, modules and data of a site load, and its documents link to each other', async () => {
    const tab = await stage.reuse();
    const failed: string[] = [];
    tab.on('response', (response) => void (response.status() >= 400 && failed.push(response.url())));
    await tab.goto(page.url);
    const root = page.address.replace(/\/?$/, '/');
    expect(tab.url()).toBe(root);
    expect(await found(tab)).toEqual(FOUND);
    await tab.click('#about');
    await tab.waitForURL(`${root}about`);
    expect(await tab.evaluate('[document.title, typeof PageUser]')).toEqual(['About', 'object']);
    await tab.click('#docs');
    await tab.waitForURL(`${root}docs/`);
    expect(
      await tab.evaluate('document.images[0].decode().then(() => document.images[0].naturalWidth)'),
    ).toBe(1);
    await tab.click('#up');
    await tab.waitForURL(root);
    expect(failed).toEqual([]);
    const lost = await tab.goto(`${root}no/such/file`);
    expect([lost?.status(), await tab.title()]).toEqual([404, 'Lost']);
  });

  test('a draft loads for its owner, with its files, and for nobody else', async () => {
    const draft = await stage.publish(owner, '<p>', { name: 'Draft folder', is_published: false });
    await putFiles(stage, owner, draft);
    const tab = await stage.reuse(owner);
    await tab.goto(draft.url);
    expect(await found(tab)).toEqual({ ...FOUND, user: 'olga-files' });
    await tab.click('#about');
    await tab.waitForFunction("document.title === 'About'");
    const address = tab.url();
    const other = await stage.enter();
    expect((await other.goto(address))?.status()).toBe(404);
  });
});
