import { afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { makeZip } from '../../support/zip.ts';
import { expectUsable } from './publish.ts';

/** Importing in the dashboard: choose, read the report, publish. */

let stage: Stage;
let iris: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  iris = await stage.register('iris-import');
  await stage.publish(iris, '<!doctype html><p>One', { name: 'Before' });
});
afterEach(closeTabs);

const zip = (files: Record<string, string>) => ({
  name: 'garden.zip',
  mimeType: 'application/zip',
  buffer: makeZip(Object.entries(files).map(([name, content]) => ({ name, content }))),
});

async function openImport() {
  const tab = await stage.reuse(iris);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByRole('link', { name: 'Import' }).click();
  await tab.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
  return { tab, complaints, choose: tab.getByLabel('Choose file').first() };
}

const countPages = async () => (await stage.call('GET', '/api/pages', { token: iris.token })).body.total;

test('shows what is taken and left before it publishes, and opens the page', async () => {
  const { tab, complaints, choose } = await openImport();
  await expectUsable(tab);
  const before = await countPages();
  await choose.setInputFiles(
    zip({
      'site/index.html': '<!doctype html><title>The garden</title><p>green',
      'site/a.css': 'p {}',
      'site/server.pem': 'x',
      'site/<img src=x onerror=alert(1)>.txt': 'x',
    }),
  );
  await tab.getByText('3 files are taken').waitFor();
  await tab
    .getByRole('listitem')
    .filter({ hasText: 'server.pem' })
    .getByText('is a file for private keys')
    .waitFor();
  await tab.getByText('<img src=x onerror=alert(1)>.txt').waitFor();
  await expectUsable(tab);
  expect(await countPages()).toBe(before);
  await tab.getByRole('button', { name: 'Publish' }).click();
  await tab.getByText('Your page is live').waitFor();
  expect(new URL(tab.url()).pathname).toMatch(/^\/pages\/\d+\/share$/);
  expect(await countPages()).toBe(before + 1);
  expect(complaints).toEqual([]);
});

test('says why nothing can be published, and why an address cannot be read', async () => {
  const { tab, choose } = await openImport();
  await choose.setInputFiles(zip({ 'notes.md': 'x' }));
  await tab.getByText('Nothing to publish').waitFor();
  expect(await tab.getByRole('button', { name: 'Publish' }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Import something else' }).click();
  await tab.getByLabel('URL').fill('http://169.254.169.254/latest/');
  await tab.getByRole('button', { name: 'Read address' }).click();
  await tab.getByText('The address cannot be imported: it is not a public address').waitFor();
  await expectUsable(tab);
});
