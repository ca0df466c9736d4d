import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../../support/browser/browser.ts';
import { openShell, type Shell } from '../../support/cli/cli.ts';
import { register } from '../../support/http/client.ts';
import { openPublicService, type PublicService } from '../../support/pages/public-service.ts';
import { FOUND, found, SITE } from './site.ts';

/** What somebody does with a folder on their computer: from one command to a site at their own domain. */

const DOMAIN = 'www.customer.test';
const PAGE_PASSWORD = 'open sesame';
const FORM = `<form data-quire-form="contact"><input name="name" required><textarea name="message"></textarea>
  <button>Send</button></form>`;

let service: PublicService;
let browser: TestBrowser;
/** The command line does not resolve the names of the test, which the service insists on. */
let gateway: Bun.Server<undefined>;
let shell: Shell;
let visitor: BrowserContext;
beforeAll(async () => {
  service = await openPublicService();
  const { token } = await register(service.server, 'owner');
  gateway = Bun.serve({ port: 0, fetch: (request) => forward(request, service) });
  shell = openShell({ QUIRE_URL: gateway.url.origin, QUIRE_TOKEN: token });
  const { browserFlag } = service.pebble;
  browser = await launchBrowser({
    flags: ['--host-resolver-rules=MAP *.test 127.0.0.1', browserFlag],
    isLean: true,
  });
  visitor = await browser.context();
});
afterAll(async () => {
  await browser?.close();
  await shell?.stop();
  await gateway?.stop(true);
  await service?.stop();
});

function forward(request: Request, { baseUrl, server }: PublicService): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  request.headers.set('host', new URL(baseUrl).host);
  return fetch(new Request(`http://127.0.0.1:${server.port}${pathname}${search}`, request), {
    decompress: false,
  });
}

function write(path: string, content: string | Uint8Array): void {
  const file = join(shell.folder, 'site', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function push() {
  return shell.json(['pages', 'push', 'site']);
}

/** The site at an address, with everything in it; and where the browser ended up. */
async function open(tab: Page, address: string): Promise<string> {
  await tab.goto(address);
  expect(await found(tab)).toEqual(FOUND);
  return new URL(tab.url()).hostname;
}

test('a folder becomes a site at its own domain, is restored, closed, and takes messages', async () => {
  for (const [path, content] of Object.entries(SITE))
    write(path, path === 'index.html' ? `${content}${FORM}` : content);
  const { page } = await push();
  const { dns, ports } = service;
  const id = String(page.id);
  const address = `https://${DOMAIN}:${ports.https}/`;
  const tab = await visitor.newPage();

  // At its slug, which leads to its own host.
  expect(await open(tab, `${service.baseUrl}/p/${page.slug}`)).toBe(`p${id}.pages.test`);
  await tab.click('#about');
  await tab.getByRole('heading', { name: 'About' }).waitFor();

  // At its domain, with a certificate of its own.
  const added = await shell.json(['pages', 'domains', 'add', id, DOMAIN]);
  const [record] = added.dns;
  dns.set(record.name, { txt: [record.value] });
  await shell.json(['pages', 'domains', 'verify', id, DOMAIN]);
  expect(await open(tab, address)).toBe(DOMAIN);
  expect(await open(tab, `${service.baseUrl}/p/${page.slug}`)).toBe(DOMAIN);

  // A version without its picture, and back.
  write('img/pixel.png', 'no picture');
  write('css/style.css', 'h1 { color: red }');
  await push();
  await tab.goto(address);
  const colour = await tab.evaluate("getComputedStyle(document.querySelector('h1')).color");
  expect(colour).toBe('rgb(255, 0, 0)');
  await shell.json(['pages', 'restore', id, String(page.version)]);
  expect(await open(tab, address)).toBe(DOMAIN);

  // Closed with a password.
  const stdin = `${PAGE_PASSWORD}\n`;
  await shell.json(['pages', 'access', id, '--mode', 'password', '--password', '-'], { stdin });
  await tab.goto(`${service.baseUrl}/p/${page.slug}`);
  await tab.getByRole('heading', { name: 'This page has a password' }).waitFor();
  expect(await tab.title()).not.toContain('Ready');
  expect((await fetch(`${gateway.url}p/${page.slug}/img/pixel.png`)).status).toBe(403);
  await tab.getByLabel('Password').fill(PAGE_PASSWORD);
  await tab.getByRole('button').click();
  expect(await found(tab)).toEqual(FOUND);

  // A message from its contact form.
  await tab.fill('input[name=name]', 'Vera');
  await tab.fill('textarea[name=message]', 'Are you open on Sunday?');
  await tab.getByRole('button', { name: 'Send' }).click();
  await tab.locator('form[data-quire-state=sent]').waitFor();
  const { messages } = await shell.json(['forms', 'read', id, 'contact']);
  expect(messages).toMatchObject([{ fields: { name: 'Vera', message: 'Are you open on Sunday?' } }]);
});
