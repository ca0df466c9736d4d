import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../test/support/browser.ts';
import { login, publish, register } from '../test/support/fault-client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { percentile, table } from './support/table.ts';

/** What people wait for: the first paint of the login page, the dashboard's bytes, a long list while it scrolls. */

const PAINTS = 20;
const PAGES = 1_000;
/** A fast hand: 3,600 pixels a second on a screen of 60 frames. */
const PIXELS_PER_FRAME = 60;

export default async function dashboard(bench: Bench): Promise<string> {
  const server = await startServer();
  bench.atEnd(async () => void (await server.stop()));
  const browser = await launchBrowser();
  bench.atEnd(browser.close);
  const { baseUrl } = server;

  const html = await (await fetch(`${baseUrl}/login`)).text();
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const bare = Bun.serve({ port: 0, fetch: () => new Response(html, { headers }) });
  bench.atEnd(() => bare.stop(true));
  const paints = { quire: noPaints(), bare: noPaints() };
  for (let n = 0; n < PAINTS; n++) {
    await paintTwice(browser, `${baseUrl}/login`, paints.quire);
    await paintTwice(browser, bare.url.href, paints.bare);
  }

  const person = await register(server, 'prolific');
  for (let n = 0; n < PAGES; n++) await publish(server, person.token, { name: `Page ${n}` });
  const page = await enter(browser, server, await login(server, person.username));
  const files = await startUpFiles(page, baseUrl);
  const frames = await scrollThrough(page);

  return [
    `First paint in a fresh profile, and when the page is opened again, milliseconds, ${PAINTS} times in turns`,
    '',
    table(
      ['', 'p50', 'p90', 'again, p50', 'p90'],
      [
        ['Quire, `/login`', ...paintRow(paints.quire)],
        ['the same document from a bare `Bun.serve`', ...paintRow(paints.bare)],
      ],
    ),
    '',
    `Dashboard before the editor: ${files.map(({ name, bytes }) => `${name} ${(bytes / 1000).toFixed(1)} KB`).join(', ')} gzipped`,
    '',
    `Scrolling a list of ${PAGES.toLocaleString('en')} pages, ${PIXELS_PER_FRAME} pixels a frame, ${frames.length.toLocaleString('en')} frames`,
    '',
    table(
      ['frame p50 ms', 'p95', 'p99', 'over 50 ms'],
      [
        [
          percentile(frames, 50).toFixed(1),
          percentile(frames, 95).toFixed(1),
          percentile(frames, 99).toFixed(1),
          `${frames.filter((ms) => ms > 50).length}`,
        ],
      ],
    ),
  ].join('\n');
}

interface Paints {
  first: number[];
  again: number[];
}
const noPaints = (): Paints => ({ first: [], again: [] });

const paintRow = ({ first, again }: Paints) =>
  [first, again].flatMap((paints) => [percentile(paints, 50).toFixed(0), percentile(paints, 90).toFixed(0)]);

async function paintTwice(browser: TestBrowser, url: string, paints: Paints): Promise<void> {
  const context = await browser.context();
  const page = await context.newPage();
  paints.first.push(await paintOf(page, url));
  paints.again.push(await paintOf(page, url));
  await context.close();
}

async function paintOf(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return page.evaluate(`new Promise((resolve) =>
    new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime))
      .observe({ type: 'paint', buffered: true }))`);
}

async function enter(browser: TestBrowser, server: TestServer, cookie: string): Promise<Page> {
  const context = await browser.context({ viewport: { width: 1280, height: 800 } });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  return context.newPage();
}

/** What the browser fetched to show the list, compressed as it would be for most clients. */
async function startUpFiles(page: Page, baseUrl: string): Promise<Array<{ name: string; bytes: number }>> {
  await page.goto(`${baseUrl}/pages`);
  await page.getByText(`${PAGES.toLocaleString('en')} pages`, { exact: true }).waitFor();
  const urls = await page.evaluate<string[]>(
    'performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/assets/"))',
  );
  return Promise.all(
    urls.map(async (url) => ({
      name: url.endsWith('.css') ? 'styles' : 'script',
      bytes: gzipSync(await (await fetch(url)).arrayBuffer()).length,
    })),
  );
}

/** Milliseconds between frames, from the top of the list to its end, with its rows arriving on the way. */
function scrollThrough(page: Page): Promise<number[]> {
  return page.evaluate(`new Promise((resolve) => {
    const frames = [];
    let last = performance.now();
    let stillFor = 0;
    function step(now) {
      frames.push(now - last);
      last = now;
      const before = scrollY;
      scrollBy(0, ${PIXELS_PER_FRAME});
      stillFor = scrollY === before ? stillFor + 1 : 0;
      if (document.getElementsByClassName('page-card').length >= ${PAGES} && stillFor > 3) resolve(frames.slice(1));
      else requestAnimationFrame(step);
    }
    requestAnimationFrame(step);
  })`);
}
