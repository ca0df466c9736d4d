import { startServer, type TestServer } from '../test/support/server.ts';
import { atLeast, atMost, type Figure, type Report, toRows, toValues, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { pinToCores, residentMiB } from './support/process.ts';
import { type Content, startBareBun, startNginx } from './support/static-servers.ts';
import {
  describeSpread,
  type Figures,
  loadFigures,
  loadValues,
  measureInTurns,
  type Peer,
  requireFigures,
} from './support/turns.ts';

/**
 * Serving a 20 KB page: Quire beside nginx and a bare `Bun.serve` that send the same bytes. The servers take turns
 * on one core; the load comes from another. Each is asked as wrk does, and with 12 headers as a browser sends them.
 */

const PAGE_BYTES = 20 * 1024;
/** In addition to the measured page, so that idle memory is that of a service in use. */
const OTHER_PAGES = 5;

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const CONNECTIONS = 64;

const NGINX = 'nginx';
const BARE_BUN = 'bare `Bun.serve`';
const OWN_HOST = "Quire, the page's own host";
const AT_BASE = 'Quire, `/p/<slug>`';
/** Rows whose requests have a browser's headers. */
const LIKE_BROWSER = ', 12 headers';
const QUIRE = [OWN_HOST, AT_BASE].flatMap((name) => [name, name + LIKE_BROWSER]);
const ALL = [NGINX, BARE_BUN, OWN_HOST, AT_BASE].flatMap((name) => [name, name + LIKE_BROWSER]);

/** Without a content encoding, so that all send the same bytes. */
const BROWSER_HEADERS = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Accept-Encoding: identity',
  'Connection: keep-alive',
  'Upgrade-Insecure-Requests: 1',
  'Sec-Fetch-Dest: document',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Site: none',
  'Sec-Fetch-User: ?1',
  'Sec-CH-UA: "Chromium";v="142", "Not_A Brand";v="24"',
  'Sec-CH-UA-Platform: "Linux"',
];

export const figures: Figure[] = [
  { name: 'Requests/s, of bare `Bun.serve`', digits: 2, rows: toRows(QUIRE, atLeast(1)) },
  {
    name: 'Requests/s, of nginx',
    digits: 2,
    rows: toRows(QUIRE, atLeast({ 'x86-64': 0.65, aarch64: 0.42 })),
  },
  ...loadFigures(toRows(ALL), '', 1),
  {
    name: 'Memory of Quire in MB, resident / its own',
    digits: 0,
    rows: { 'after the start': atMost(120), 'after the load': undefined },
  },
];

export default async function servePage(bench: Bench): Promise<Report> {
  await needCommands({ nginx: 'nginx-light', wrk: 'wrk', taskset: 'util-linux' });
  await pinToCores([process.pid], SERVER_CORE);
  const server = await startServer();
  bench.atEnd(server.stop);
  const { peers, content } = await startPeers(bench, server);
  const idleMs = bench.pick(10_000, 1_000);
  await Bun.sleep(idleMs);
  const idle = residentMiB(server.pid);
  const measured = await measureInTurns(peers, {
    rounds: bench.pick(5, 1),
    seconds: bench.pick(3, 1),
    warmUpSeconds: bench.pick(2, 1),
    connections: CONNECTIONS,
    cores: LOAD_CORE,
  });
  await Bun.sleep(idleMs);
  const afterLoad = residentMiB(server.pid);
  const size = content.bytes.length.toLocaleString('en');
  return {
    note: `${size} bytes, nginx ${await nginxVersion()}. ${describeSpread(measured)}`,
    values: {
      ...ratios(measured),
      ...loadValues(measured),
      'Memory of Quire in MB, resident / its own': {
        'after the start': [idle.all, idle.own],
        'after the load': [afterLoad.all, afterLoad.own],
      },
    },
  };
}

/** Compares each row of Quire with the peer that gets the same headers. */
function ratios(measured: Figures[]): Values {
  const ours = measured.filter(({ name }) => QUIRE.includes(name));
  const of = (peer: string) =>
    toValues(ours, ({ name, requestsPerSecond }) => {
      const reference = name.endsWith(LIKE_BROWSER) ? peer + LIKE_BROWSER : peer;
      return requestsPerSecond / requireFigures(measured, reference).requestsPerSecond;
    });
  return { 'Requests/s, of bare `Bun.serve`': of(BARE_BUN), 'Requests/s, of nginx': of(NGINX) };
}

async function startPeers(bench: Bench, server: TestServer): Promise<{ peers: Peer[]; content: Content }> {
  const { id, slug } = await publishPages(server);
  const address = `http://127.0.0.1:${server.port}`;
  const path = `/p/${slug}`;
  const host = `p${id}.pages.localhost:${server.port}`;
  const onOwnHost: Peer = { name: OWN_HOST, pids: () => [server.pid], url: `${address}/`, host };
  const atBase: Peer = {
    name: AT_BASE,
    pids: () => [server.pid],
    url: address + path,
    host: `localhost:${server.port}`,
  };
  const content: Content = { path, ...(await fetchPage(onOwnHost)) };
  await fetchPage(atBase);
  const nginx = await startNginx(bench, content);
  const bareBun = await startBareBun(bench, content);
  const others = [
    { name: NGINX, ...nginx },
    { name: BARE_BUN, ...bareBun },
  ].map(({ name, pid, port }) => ({ name, pids: () => [pid], url: `http://127.0.0.1:${port}${path}`, host }));
  const peers = [...others, onOwnHost, atBase].flatMap((peer): Peer[] => [
    peer,
    { ...peer, name: peer.name + LIKE_BROWSER, headers: BROWSER_HEADERS },
  ]);
  for (const peer of peers) await assertSameContent(peer, content);
  return { peers, content };
}

async function publishPages(server: TestServer): Promise<{ id: number; slug: string }> {
  const account = { username: 'bench', email: 'bench@example.com', password: 'correct horse battery' };
  const { accessToken } = await post<{ accessToken: string }>(server, '/api/auth/register', account);
  const publish = async (name: string) => {
    const body = { name, html_content: makeDocument(name) };
    type Created = { page: { id: number; slug: string } };
    return (await post<Created>(server, '/api/pages', body, { authorization: `Bearer ${accessToken}` })).page;
  };
  for (let count = 1; count <= OTHER_PAGES; count++) await publish(`Other ${count}`);
  return publish('Measured');
}

async function post<T>(server: TestServer, path: string, body: unknown, headers = {}): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A document of exactly the wanted size. */
function makeDocument(title: string): string {
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>\n`;
  const end = '</body></html>\n';
  let body = '';
  for (let line = 1; head.length + body.length + end.length < PAGE_BYTES; line++) {
    body += `<p id="line-${line}">Line ${line}, which was written ${line * 37} times on page ${line % 7}.</p>\n`;
  }
  return head + body.slice(0, PAGE_BYTES - head.length - end.length) + end;
}

/** What a client that takes no compression gets; the headers without those that differ from answer to answer. */
async function fetchPage({ url, host, headers: further = [] }: Peer): Promise<Omit<Content, 'path'>> {
  const given = further.map((header) => header.split(': ', 2) as [string, string]);
  const response = await fetch(url, {
    headers: { ...Object.fromEntries(given), host, 'accept-encoding': 'identity' },
  });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  const {
    date: _,
    'content-length': __,
    'x-request-id': ___,
    ...headers
  } = Object.fromEntries(response.headers);
  return { bytes: await response.bytes(), headers };
}

async function assertSameContent(peer: Peer, content: Content): Promise<void> {
  const { bytes, headers } = await fetchPage(peer);
  if (!Buffer.from(bytes).equals(content.bytes)) throw new Error(`${peer.name} sends other bytes`);
  for (const name of ['content-type', 'content-encoding', 'cache-control']) {
    if (headers[name] !== content.headers[name]) throw new Error(`${peer.name} sends another ${name}`);
  }
  if (!headers.etag) throw new Error(`${peer.name} sends no ETag`);
}

async function nginxVersion(): Promise<string> {
  const { stderr } = await Bun.$`nginx -v`.quiet();
  return /nginx\/(\S+)/.exec(stderr.toString())?.[1] ?? '';
}
