import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindingKind } from '../../contract/attack/kinds.ts';

/** What it looks for. Its other modules are about headers, which the service sets, or need a second server. */
const MODULES = ['backup', 'blindsql', 'exec', 'file', 'permanentxss', 'redirect', 'sql', 'xss'];
/** How long it looks for addresses, and tries each module. */
const CRAWL_SECONDS = 20;
const MODULE_SECONDS = 10;
const MOST_MS = 120_000;

/** What it calls the holes of our samples. */
const KINDS: Record<string, FindingKind> = {
  'SQL Injection': 'function-sql',
  'Blind SQL Injection': 'function-sql',
  'Cross Site Scripting': 'stored-script',
  'Backup file': 'private-file',
};

export interface Visit {
  /** The address of the page. */
  url: string;
  /** Sends the requests: the hosts of pages are in no name service. */
  proxy: string;
  cookie: string;
  /** An empty folder. */
  folder: string;
}

/** Fails unless wapiti finds the hole of a page that is made for it. Otherwise, finding nothing would say nothing. */
export async function assertWapitiWorks(folder: string): Promise<void> {
  const page = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const q = new URL(request.url).searchParams.get('q') ?? '';
      const html = `<!doctype html><title>Search</title><form><input name="q"><button>Go</button></form>${q}`;
      return new Response(html, { headers: { 'content-type': 'text/html' } });
    },
  });
  try {
    const [url, proxy] = [`http://search.pages.localhost:${page.port}/`, `http://127.0.0.1:${page.port}`];
    const found = await runWapiti({ url, proxy, cookie: 'a=b', folder });
    if (!found.has('stored-script')) throw new Error('wapiti does not find the hole of a page with a script');
  } finally {
    await page.stop(true);
  }
}

/** Lets wapiti attack a page. Returns what it has found: kinds of ours, or its own words. */
export async function runWapiti({ url, proxy, cookie, folder }: Visit): Promise<Set<string>> {
  const report = join(folder, 'report.json');
  const child = Bun.spawn(
    [
      ...['wapiti', '-u', url, '--scope', 'domain', '-p', proxy, '-H', `Cookie: ${cookie}`],
      ...['-m', MODULES.join(','), '-f', 'json', '-o', report, '-v', '0', '--no-bugreport'],
      ...['--max-scan-time', String(CRAWL_SECONDS), '--max-attack-time', String(MODULE_SECONDS)],
      ...['--store-session', folder, '--store-config', folder],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: MOST_MS, env: { ...process.env, HOME: folder } },
  );
  const [said, complaints] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  if ((await child.exited) !== 0)
    throw new Error(`wapiti did not finish with ${url}:\n${await said}\n${await complaints}`);
  const { vulnerabilities } = JSON.parse(readFileSync(report, 'utf8')) as {
    vulnerabilities: Record<string, unknown[]>;
  };
  const found = Object.entries(vulnerabilities).filter(([, each]) => each.length > 0);
  return new Set(found.map(([name]) => KINDS[name] ?? name));
}
