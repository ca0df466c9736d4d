import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../test/support/browser/browser.ts';
import { login, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { percentile } from './support/table.ts';

/** What people wait for: the first paint of the login page, the dashboard's bytes, a long list while it scrolls. */

/** A fast hand: 3,600 pixels a second on a screen of 60 frames. */
const PIXELS_PER_FRAME = 60;

const FRESH = 'First paint in ms, fresh profile, p50 / p90';
const AGAIN = 'First paint in ms, opened again, p50 / p90';
const SIZE = 'Dashboard before the editor loads, KB gzipped';
const FRAMES = 'Frames while a list of pages scrolls in ms, p50 / p95 / p99';
const SLOW = 'Frames over 50 ms';
const QUIRE = 'Quire, `/login`';
const BARE = 'the same document from a bare `Bun.serve`';

export const figures: Figure[] = [
  { name: FRESH, digits: 0, rows: { [QUIRE]: atMost(100), [BARE]: undefined } },
  { name: AGAIN, digits: 0, rows: { [QUIRE]: atMost(100), [BARE]: undefined } },
  { name: SIZE, digits: 1, rows: { ...toRows(['script', 'styles']), together: atMost(120) } },
  { name: FRAMES, digits: 1, rows: toRows(['Quire']) },
  { name: SLOW, digits: 0, rows: toRows(['Quire']) },
];

export default async function dashboard(bench: Bench): Promise<Report> {
  const [paintCount, pageCount] = [bench.pick(20, 3), bench.pick(1_000, 100)];
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
  for (let n = 0; n < paintCount; n++) {
    await paintTwice(browser, `${baseUrl}/login`, paints.quire);
    await paintTwice(browser, bare.url.href, paints.bare);
  }

  const person = await register(server, 'prolific');
  for (let n = 0; n < pageCount; n++) await publish(server, person.token, { name: `Page ${n}` });
  const page = await enter(browser, server, await login(server, person.username));
  const files = await startUpFiles(page, baseUrl, pageCount);
  const frames = await scrollThrough(page, pageCount);

  const spread = (times: number[]) => [percentile(times, 50), percentile(times, 90)];
  const [script, styles] = ['script', 'styles'].map(
    (name) => files.filter((file) => file.name === name).reduce((sum, { bytes }) => sum + bytes, 0) / 1000,
  ) as [number, number];
  return {
    note: `${paintCount} first paints of each, in turns; a list of ${pageCount.toLocaleString('en')} pages, ${PIXELS_PER_FRAME} pixels per frame, ${frames.length.toLocaleString('en')} frames.`,
    values: {
      [FRESH]: { [QUIRE]: spread(paints.quire.first), [BARE]: spread(paints.bare.first) },
      [AGAIN]: { [QUIRE]: spread(paints.quire.again), [BARE]: spread(paints.bare.again) },
      [SIZE]: { script, styles, together: script + styles },
      [FRAMES]: { Quire: [50, 95, 99].map((percent) => percentile(frames, percent)) },
      [SLOW]: { Quire: frames.filter((ms) => ms > 50).length },
    },
  };
}

interface Paints {
  first: number[];
  again: number[];
}
const noPaints = (): Paints => ({ first: [], again: [] });

async function paintTwice(browser: TestBrowser, url: string, paints: Paints): Promise<void> {
  const context = await browser.context();
  const page = await context.newPage();
  paints.first.push(await measureFirstPaint(page, url));
  paints.again.push(await measureFirstPaint(page, url));
  await context.close();
}

async function measureFirstPaint(page: Page, url: string): Promise<number> {
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
async function startUpFiles(
  page: Page,
  baseUrl: string,
  pageCount: number,
): Promise<Array<{ name: string; bytes: number }>> {
  await page.goto(`${baseUrl}/pages`);
  await page.getByText(`${pageCount.toLocaleString('en')} pages`, { exact: true }).waitFor();
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
function scrollThrough(page: Page, pageCount: number): Promise<number[]> {
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
      if (document.getElementsByClassName('page-card').length >= ${pageCount} && stillFor > 3) resolve(frames.slice(1));
      else requestAnimationFrame(step);
    }
    requestAnimationFrame(step);
  })`);
}
