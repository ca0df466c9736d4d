import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';
import { codeField, expectUsable, write } from './pages/publish.ts';

/** The files of a page in the dashboard. */

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
);
const HTML =
  '<!doctype html>\n<title>Cat site</title>\n<link rel="stylesheet" href="css/style.css">\n<h1>Cats</h1>\n<img id="cat" alt="A cat" src="images/cat.png">\n';
/** A hundredth of a second of silence. */
const SOUND = Buffer.concat([
  Buffer.from('RIFF'),
  Buffer.from([116, 0, 0, 0]),
  Buffer.from('WAVEfmt '),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]),
  Buffer.from('data'),
  Buffer.from([80, 0, 0, 0]),
  Buffer.alloc(80, 128),
]);
const CSS = 'h1 { color: rgb(1, 2, 3); }\n';

const FONT = join(import.meta.dir, '../../server/platform/pictures/card/fonts/noto-sans-latin-400.woff2');

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('file-owner');
});
afterEach(closeTabs);

/** Folders that a person drops, each in one of its own. */
const disk = mkdtempSync(join(tmpdir(), 'quire-sites-'));
afterAll(() => rmSync(disk, { recursive: true, force: true }));

type Contents = Record<string, string | Uint8Array>;

/** Writes files into a new folder on the disk, and returns its path. */
function folderWith(name: string, files: Contents): string {
  const folder = join(mkdtempSync(join(disk, 'site-')), name);
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return folder;
}

/** A page that has files. */
async function publishWith(files: Contents, html = HTML): Promise<Published> {
  const page = await stage.publish(owner, html, { name: 'Cat site' });
  await sendFiles(page, files);
  return page;
}

async function sendFiles(page: Published, files: Contents, keep: Record<string, string> = {}) {
  const form = new FormData();
  form.set('keep', JSON.stringify(keep));
  for (const [path, content] of Object.entries(files)) form.append('file', new Blob([content]), path);
  const response = await fetch(`${stage.baseUrl}/api/pages/${page.id}/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}` },
    body: form,
  });
  expect(response.status).toBe(200);
}

async function fetchFiles(page: { id: number }): Promise<Record<string, string>> {
  const { body } = await stage.call('GET', `/api/pages/${page.id}/files`, { token: owner.token });
  return Object.fromEntries(body.files.map(({ path, hash }: Record<string, string>) => [path, hash]));
}

async function readContent(page: { id: number }, path: string): Promise<string> {
  const response = await fetch(`${stage.baseUrl}/api/pages/${page.id}/files/${path}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  return response.text();
}

async function open(path: string, entered?: Page) {
  const tab = entered ?? (await stage.reuse(owner));
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}${path}`);
  return { tab, complaints };
}

async function openEditor(page: Pick<Published, 'id'>, entered?: Page) {
  const opened = await open(`/pages/${page.id}`, entered);
  await codeField(opened.tab).waitFor();
  return opened;
}

const row = (tab: Page, name: string) => tab.getByRole('treeitem', { name, exact: true });
const preview = (tab: Page) => tab.frameLocator('iframe:not(.coming)');

/** The width of a picture that was loaded. */
const readWidth = (picture: Locator) =>
  picture.evaluate(async (element) => {
    const image = element as unknown as { decode(): Promise<void>; naturalWidth: number };
    await image.decode();
    return image.naturalWidth;
  });

const readColor = (text: Locator) =>
  text.evaluate((element) => {
    const browser = globalThis as unknown as { getComputedStyle(of: unknown): { color: string } };
    return browser.getComputedStyle(element).color;
  });

/** Replaces the text of the open file. */
async function rewrite(tab: Page, path: string, text: string): Promise<void> {
  await tab.getByRole('textbox', { name: path }).click();
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.insertText(text);
}

/** Drags files from the disk, as a person does. */
async function drop(tab: Page, paths: string[], target: { x: number; y: number }): Promise<void> {
  const cdp = await tab.context().newCDPSession(tab);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const send = async (type: 'dragEnter' | 'dragOver' | 'drop') => {
    await cdp.send('Input.dispatchDragEvent', { type, ...target, data });
    // Chromium can crash if a folder is dropped before it has drawn where.
    await tab.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  };
  await tab.evaluate(`addEventListener('dragover', (event) => {
    setTimeout(() => { window.isDropTaken = event.defaultPrevented; });
  }, true)`);
  await send('dragEnter');
  // The screen may not listen yet. A person sees that and waits.
  do await send('dragOver');
  while (!(await tab.evaluate('window.isDropTaken')));
  await send('drop');
  await cdp.detach();
}

test('a folder that is dropped on the list is published in one step, with its pictures', async () => {
  const folder = folderWith('cat-site', {
    'index.html': HTML,
    'css/style.css': CSS,
    'images/cat.png': PICTURE,
    '.git/config': 'secret',
    'node_modules/x/index.js': 'x',
  });
  const { tab, complaints } = await open('/pages');
  await tab.getByRole('heading', { name: 'Pages' }).waitFor();
  await drop(tab, [folder], { x: 640, y: 400 });
  await tab.getByText('3 files').first().waitFor();
  for (const name of ['cat-site/.git', 'cat-site/node_modules']) await tab.getByText(name).waitFor();
  expect(await tab.getByLabel('Name').inputValue()).toBe('Cat site');
  await expectUsable(tab);
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Your page is live').waitFor();
  const id = Number(/\d+(?=\/share$)/.exec(tab.url())?.[0]);
  await openEditor({ id }, tab);
  await row(tab, 'images').waitFor();
  expect(Object.keys(await fetchFiles({ id }))).toEqual(['css/style.css', 'images/cat.png']);
  await preview(tab).locator('#cat').waitFor();
  expect(complaints).toEqual([]);

  const { body } = await stage.call('GET', `/api/pages/${id}`, { token: owner.token });
  await tab.goto(`${stage.baseUrl}/p/${body.page.slug}`);
  expect(await readWidth(tab.locator('#cat'))).toBe(2);
  expect(await readColor(tab.locator('h1'))).toBe('rgb(1, 2, 3)');
});

test('a zip archive becomes a page, and replaces all files of another', async () => {
  const page = await publishWith({ 'css/style.css': CSS, 'images/cat.png': PICTURE });
  const exported = await fetch(`${stage.baseUrl}/api/pages/${page.id}/export`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  const archive = {
    name: 'my-cats.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(await exported.arrayBuffer()),
  };
  const { tab } = await open('/pages/new');
  await tab.getByRole('link', { name: 'Import' }).click();
  await tab.getByLabel('Choose file').first().setInputFiles(archive);
  await tab.getByLabel('Name').fill('My cats');
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Your page is live').waitFor();
  await openEditor({ id: Number(/\d+(?=\/share$)/.exec(tab.url())?.[0]) }, tab);
  await preview(tab).locator('#cat').waitFor();
  expect(await readWidth(preview(tab).locator('#cat'))).toBe(2);

  const other = await publishWith({ 'old.txt': 'old' }, '<h1>Old</h1>');
  await openEditor(other, tab);
  await row(tab, 'old.txt').waitFor();
  await tab.getByLabel('Upload files').first().setInputFiles(archive);
  await tab.getByRole('button', { name: 'Replace all files' }).click();
  await preview(tab).getByRole('heading', { name: 'Cats' }).waitFor();
  expect(Object.keys(await fetchFiles(other))).toEqual(['css/style.css', 'images/cat.png']);
});

test('pictures alone and a broken archive make no page, and a page can begin as a draft', async () => {
  const person = await stage.register('file-loser');
  const tab = await stage.reuse(person);
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByRole('link', { name: 'Import' }).click();
  await tab
    .getByLabel('Choose folder')
    .first()
    .setInputFiles(folderWith('pictures', { 'cat.png': PICTURE, 'dog.png': PICTURE }));
  const nothing = async (name: string) => {
    await tab.getByText(`Nothing in ${name} can be published.`).waitFor();
    await tab.getByRole('button', { name: 'Import something else' }).click();
  };
  await nothing('pictures');
  const upload = (name: string, mimeType: string, text: string) =>
    tab
      .getByLabel('Choose file')
      .first()
      .setInputFiles({ name, mimeType, buffer: Buffer.from(text) });
  await upload('my-site.zip', 'application/zip', 'no zip');
  await nothing('my-site.zip');
  const readPages = async () => (await stage.call('GET', '/api/pages', { token: person.token })).body.pages;
  expect(await readPages()).toEqual([]);

  await upload('later.html', 'text/html', '<!doctype html><title>Later</title><p>Soon');
  await tab.getByLabel('Publish now').click();
  await tab.getByRole('button', { name: 'Create page' }).click();
  await tab.getByText('Created Later. Only you can see it.').waitFor();
  expect(await readPages()).toMatchObject([{ name: 'Later', is_published: false }]);
});

test('texts of several files are saved in one version, and the preview shows them before', async () => {
  const page = await publishWith({ 'css/style.css': CSS, 'images/cat.png': PICTURE });
  const { tab, complaints } = await openEditor(page);
  const heading = preview(tab).locator('h1');
  await heading.waitFor();
  expect(await readWidth(preview(tab).locator('#cat'))).toBe(2);
  expect(await readColor(heading)).toBe('rgb(1, 2, 3)');

  await row(tab, 'css').click();
  await row(tab, 'style.css').click();
  await rewrite(tab, 'css/style.css', 'h1 { color: rgb(9, 8, 7); }\n');
  await row(tab, 'index.html').click();
  await write(tab, HTML.replace('Cats', 'More cats'));
  await preview(tab).getByRole('heading', { name: 'More cats' }).waitFor();
  expect(await readColor(heading)).toBe('rgb(9, 8, 7)');
  await tab.getByText('Unsaved changes in 2 files').waitFor();
  await expectUsable(tab);
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Live · version 3').waitFor();
  expect(await readContent(page, 'css/style.css')).toBe('h1 { color: rgb(9, 8, 7); }\n');
  expect(await readContent(page, 'index.html')).toContain('More cats');
  expect(Object.keys(await fetchFiles(page))).toEqual(['css/style.css', 'images/cat.png']);
  expect(complaints).toEqual([]);
});

test('names of files are completed in HTML and in styles', async () => {
  const page = await publishWith({ 'css/style.css': CSS, 'images/cat.png': PICTURE });
  const { tab } = await openEditor(page);
  await row(tab, 'images').waitFor();
  await write(tab, '<img src="">');
  for (const _ of '">') await tab.keyboard.press('ArrowLeft');
  await tab.keyboard.type('im');
  await tab.getByRole('option', { name: 'images/cat.png' }).click();
  expect(await codeField(tab).innerText()).toContain('<img src="images/cat.png">');

  await row(tab, 'css').click();
  await row(tab, 'style.css').click();
  const style = tab.getByRole('textbox', { name: 'css/style.css' });
  await style.click();
  await tab.keyboard.type('b { background: url(cat');
  await tab.getByRole('option', { name: '../images/cat.png' }).click();
  expect(await style.innerText()).toContain('url(../images/cat.png');
});

test('files can be added, replaced, renamed and deleted with the keyboard alone', async () => {
  const page = await publishWith({ 'images/cat.png': PICTURE });
  const { tab, complaints } = await openEditor(page);
  const panel = tab.getByRole('region', { name: 'Files' });
  await row(tab, 'images').waitFor();

  await panel
    .getByLabel('Upload files')
    .first()
    .setInputFiles([
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
      { name: 'page.css', mimeType: 'text/css', buffer: Buffer.from(CSS) },
    ]);
  await tab.getByText('Uploaded 2 files, as version 3.').waitFor();
  await panel
    .getByLabel('Upload files')
    .first()
    .setInputFiles([{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('two') }]);
  const question = tab.getByRole('dialog', { name: 'Replace 1 file?' });
  await expectUsable(tab);
  await question.getByRole('button', { name: 'Replace it' }).click();
  await tab.getByText('Uploaded 1 file, as version 4.').waitFor();
  expect(await readContent(page, 'note.txt')).toBe('two');

  await row(tab, 'index.html').focus();
  await tab.keyboard.press('Home');
  await tab.keyboard.press('ArrowRight');
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('F2');
  await tab.getByRole('textbox', { name: 'Path' }).fill('images/NOTE.TXT/cat.png');
  await tab.keyboard.press('Enter');
  await tab.getByText('Renamed cat.png').waitFor();
  await row(tab, 'note.txt').focus();
  await tab.keyboard.press('Delete');
  await tab
    .getByRole('dialog', { name: 'Delete note.txt?' })
    .getByRole('button', { name: 'Delete' })
    .press('Enter');
  await tab.getByText('Deleted note.txt.').waitFor();
  await waitUntil(() => tab.evaluate('document.activeElement.getAttribute("role") === "treeitem"'));
  expect(Object.keys(await fetchFiles(page))).toEqual(['images/NOTE.TXT/cat.png', 'page.css']);

  await panel.getByRole('button', { name: 'New file' }).press('Enter');
  const name = tab.getByRole('textbox', { name: 'Name' });
  await name.fill('../x.html');
  await tab.keyboard.press('Enter');
  await tab.getByText('The path must not contain . or .. as a segment.').waitFor();
  await name.fill('about.html');
  await tab.keyboard.press('Enter');
  await rewrite(tab, 'about.html', '<h1>About cats</h1>');
  await preview(tab).getByRole('heading', { name: 'About cats' }).waitFor();
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Live · version 7').waitFor();
  expect(await readContent(page, 'about.html')).toBe('<h1>About cats</h1>');
  await tab.reload();
  await row(tab, 'about.html').click();
  await preview(tab).getByRole('heading', { name: 'About cats' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a picture pasted into the code is uploaded and shown, and Undo takes its tag back', async () => {
  const page = await publishWith({}, '<!doctype html>\n<h1>Cats</h1>\n');
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+End');
  await tab.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(${JSON.stringify([...PICTURE])})], 'a cat.png', { type: 'image/png' }));
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await tab.getByText('Uploaded 1 file, as version').waitFor();
  await tab.locator('.cm-line', { hasText: '<img src="a%20cat.png" alt="">' }).waitFor();
  const picture = preview(tab).locator('img');
  await waitUntil(() =>
    picture.evaluate<boolean, { naturalWidth: number }>((image) => image.naturalWidth === 2),
  );
  expect(Object.keys(await fetchFiles(page))).toContain('a cat.png');
  await codeField(tab).press('ControlOrMeta+z');
  await tab.locator('.cm-line', { hasText: '<img' }).waitFor({ state: 'detached' });
});

test('files are dropped into folders and pasted, and a folder with an index.html can replace the page', async () => {
  const page = await publishWith({ 'images/cat.png': PICTURE });
  const { tab } = await openEditor(page);
  const box = await row(tab, 'images').boundingBox();
  if (!box) throw new Error('the folder does not show');
  const folder = folderWith('icons', {
    'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'b/c.txt': 'c',
  });
  await drop(tab, [folder], { x: box.x + 20, y: box.y + 10 });
  await tab.getByText('Uploaded 2 files, as version 3.').waitFor();
  expect(Object.keys(await fetchFiles(page))).toEqual([
    'images/cat.png',
    'images/icons/a.svg',
    'images/icons/b/c.txt',
  ]);

  const paste = `(bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' }));
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }`;
  await codeField(tab).click();
  for (const version of [4, 5]) {
    await tab.evaluate(`(${paste})(${JSON.stringify([...PICTURE])})`);
    await tab.getByText(`Uploaded 1 file, as version ${version}.`).waitFor();
  }
  expect(Object.keys(await fetchFiles(page))).toContain('image-2.png');

  const site = folderWith('new-site', { 'index.html': '<h1>New site</h1>', 'a.css': CSS });
  await drop(tab, [site], { x: 600, y: 500 });
  await tab
    .getByRole('dialog', { name: 'Replace the page with new-site?' })
    .getByRole('button', { name: 'Replace the page' })
    .click();
  await preview(tab).getByRole('heading', { name: 'New site' }).waitFor();
  expect(Object.keys(await fetchFiles(page))).toEqual(['a.css']);
  expect(await codeField(tab).innerText()).toContain('New site');
});

test('pictures, sounds, fonts and unknown files are shown, and a refused upload says why', async () => {
  const page = await publishWith({
    'cat.png': PICTURE,
    LICENSE: 'Do what you want.',
    'data.bin': new Uint8Array([0, 255, 254]),
    'latin.txt': new Uint8Array([0xe9, 0x20]),
    'logo.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"><script>alert(1)</script></svg>',
    'broken.woff2': 'no font',
    'sound.wav': SOUND,
    'font.woff2': await Bun.file(FONT).bytes(),
  });
  const { tab } = await openEditor(page);
  await row(tab, 'cat.png').click();
  await tab.getByText('2 × 2 pixels · image/png').waitFor();
  await expectUsable(tab);
  await row(tab, 'data.bin').click();
  await tab.getByText('application/octet-stream · 3 bytes').waitFor();
  await row(tab, 'latin.txt').click();
  await tab.getByText('it is not UTF-8 text').waitFor();
  await row(tab, 'broken.woff2').click();
  await tab.getByText('This browser cannot show it.').waitFor();
  await row(tab, 'font.woff2').click();
  await tab.getByText('The quick brown fox').first().waitFor();
  await row(tab, 'sound.wav').click();
  await tab.locator('audio').waitFor();
  await waitUntil(() => tab.evaluate('document.querySelector("audio").duration === 0.01'));
  await row(tab, 'LICENSE').click();
  await tab.getByRole('textbox', { name: 'LICENSE' }).getByText('Do what you want.').waitFor();
  await row(tab, 'logo.svg').click();
  await tab.getByRole('button', { name: 'Picture' }).click();
  await tab.getByText('5 × 5 pixels').waitFor();

  const upload = tab.getByLabel('Upload files').first();
  await upload.setInputFiles([{ name: 'CAT.png', mimeType: 'image/png', buffer: PICTURE }]);
  await tab.getByRole('alert').getByText('differs from cat.png only in upper and lower case').waitFor();
  await tab.route('**/api/pages/*/files?*', (route) =>
    route.fulfill({ status: 413, json: { error: 'Your storage is full.', code: 'QUOTA_EXCEEDED' } }),
  );
  await upload.setInputFiles([{ name: 'dog.png', mimeType: 'image/png', buffer: PICTURE }]);
  await tab.getByRole('alert').getByText('Your storage is full.').waitFor();
  await expectUsable(tab);
  await tab.unroute('**/api/pages/*/files?*');
  await tab.route('**/api/pages/*/files?*', () => undefined);
  await upload.setInputFiles([{ name: 'dog.png', mimeType: 'image/png', buffer: PICTURE }]);
  await tab.getByText('Uploading 1 file').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByText('The upload was canceled. Nothing changed.').waitFor();
  expect(Object.keys(await fetchFiles(page))).not.toContain('dog.png');
});

test('changes of others to other files stay, and the same file asks which text to keep', async () => {
  const page = await publishWith({ 'style.css': CSS, 'note.txt': 'note' }, '<h1>Shared</h1>');
  const { tab } = await openEditor(page);
  await row(tab, 'style.css').click();
  await rewrite(tab, 'style.css', 'mine');
  const { 'style.css': style = '', 'note.txt': note = '' } = await fetchFiles(page);
  await sendFiles(page, { 'note.txt': 'their note' }, { 'style.css': style });
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Live · version 4').waitFor();
  expect([await readContent(page, 'style.css'), await readContent(page, 'note.txt')]).toEqual([
    'mine',
    'their note',
  ]);

  await rewrite(tab, 'style.css', 'mine again');
  await tab.getByText('Unsaved changes').first().waitFor();
  await sendFiles(
    page,
    { 'style.css': 'theirs' },
    { 'note.txt': (await fetchFiles(page))['note.txt'] ?? note },
  );
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  const dialog = tab.getByRole('dialog', { name: 'Someone else saved this page' });
  await dialog.getByText('theirs', { exact: true }).waitFor();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Save mine as version 6' }).click();
  await tab.getByText('Live · version 6').waitFor();
  expect(await readContent(page, 'style.css')).toBe('mine again');
});

test('after a crash the unsaved texts of all files are back', async () => {
  const page = await publishWith({ 'style.css': CSS }, '<h1>Crash</h1>');
  const { tab } = await openEditor(page);
  await row(tab, 'style.css').click();
  await rewrite(tab, 'style.css', 'nearly lost');
  await row(tab, 'index.html').click();
  await write(tab, '<h1>Also nearly lost</h1>');
  await preview(tab).getByRole('heading', { name: 'Also nearly lost' }).waitFor();
  const next = await tab.context().newPage();
  await tab.close();
  const { tab: again } = await openEditor(page, next);
  await again.getByText('Restored unsaved changes on this device from just now.').waitFor();
  await again.getByText('Unsaved changes in 2 files').waitFor();
  await again.getByRole('treeitem', { name: 'style.css' }).click();
  await again.getByRole('textbox', { name: 'style.css' }).getByText('nearly lost').waitFor();
  await again.keyboard.press('ControlOrMeta+Shift+S');
  await again.getByText('Live · version 3').waitFor();
  expect(await readContent(page, 'style.css')).toBe('nearly lost');
});

test('versions show which files changed, and restoring one brings them back', async () => {
  const page = await publishWith({ 'style.css': CSS, 'cat.png': PICTURE, 'old.txt': 'old' });
  await sendFiles(page, { 'style.css': 'h1 { color: red; }\n', 'new.txt': 'new' });
  const { tab, complaints } = await open(`/pages/${page.id}/versions`);
  await tab.getByText('Version 3 changed 4 files').waitFor();
  const changes = tab.getByRole('list', { name: 'Files that differ' });
  expect(await changes.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^Removed\s+cat.png\s+73 bytes$/),
    expect.stringMatching(/^Added\s+new.txt\s+3 bytes$/),
    expect.stringMatching(/^Removed\s+old.txt\s+3 bytes$/),
    expect.stringMatching(/^Changed\s+style.css\s+28 bytes → 19 bytes$/),
  ]);
  await tab.getByRole('img', { name: 'cat.png, before' }).waitFor();
  await changes.getByRole('button', { name: 'style.css' }).click();
  await tab.getByText('Version 3 changed +1 −1 lines').waitFor();
  await expectUsable(tab);

  await tab.getByRole('link', { name: /^Version 2/ }).click();
  await tab.getByRole('button', { name: 'Restore this version' }).click();
  await tab.getByRole('button', { name: 'Restore version 2' }).click();
  await tab.getByText('Version 2 is back, as version 4.').first().waitFor();
  expect(Object.keys(await fetchFiles(page))).toEqual(['cat.png', 'old.txt', 'style.css']);
  expect(await readContent(page, 'style.css')).toBe(CSS);
  expect(complaints).toEqual([]);
});

test('on a phone, files, code and preview alternate, and a draft shows its files too', async () => {
  const page = await publishWith({ 'css/style.css': CSS, 'images/cat.png': PICTURE });
  await stage.call('PATCH', `/api/pages/${page.id}`, { token: owner.token, body: { is_published: false } });
  const tab = await stage.reuse(owner);
  await tab.setViewportSize({ width: 390, height: 844 });
  await open(`/pages/${page.id}`, tab);
  await tab.getByRole('button', { name: 'Code', exact: true }).click();
  await codeField(tab).waitFor();
  expect(await row(tab, 'index.html').isVisible()).toBe(false);
  await tab.getByRole('button', { name: 'Files', exact: true }).click();
  await row(tab, 'css').click();
  await row(tab, 'style.css').click();
  await tab.getByRole('textbox', { name: 'css/style.css' }).waitFor();
  await tab.getByRole('button', { name: 'Page', exact: true }).click();
  const cat = preview(tab).locator('#cat');
  await cat.waitFor();
  expect(await readWidth(cat)).toBe(2);
  expect(await readColor(preview(tab).locator('h1'))).toBe('rgb(1, 2, 3)');
});
