import { startServer, type TestServer } from '../test/support/server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { pinToCores, residentMiB } from './support/process.ts';
import { type Content, startBareBun, startNginx } from './support/static-servers.ts';
import { table } from './support/table.ts';
import { type Figures, measureInTurns, type Peer, percent, rate, ratio } from './support/turns.ts';

/**
 * Serving a 20 KB page: Quire beside nginx and a bare `Bun.serve` that send the same bytes. The servers take turns
 * on one core; the load comes from another.
 */

const PAGE_BYTES = 20 * 1024;
/** In addition to the measured page, so that idle memory is that of a service in use. */
const OTHER_PAGES = 5;
const IDLE_SECONDS = 10;

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_SECONDS = 5;
const WARM_UP_SECONDS = 4;

export default async function servePage(bench: Bench): Promise<string> {
  await needCommands({ nginx: 'nginx-light', wrk: 'wrk', taskset: 'util-linux' });
  await pinToCores([process.pid], SERVER_CORE);

  const server = await startServer();
  bench.atEnd(server.stop);
  const { id, slug } = await publishPages(server);
  const address = `http://127.0.0.1:${server.port}`;
  const path = `/p/${slug}`;
  const host = `p${id}.pages.localhost:${server.port}`;
  const onOwnHost: Peer = {
    name: "Quire, the page's own host",
    pids: () => [server.pid],
    url: `${address}/`,
    host,
  };
  const atBase: Peer = {
    name: 'Quire, /p/<slug>',
    pids: () => [server.pid],
    url: address + path,
    host: `localhost:${server.port}`,
  };
  const content: Content = { path, ...(await fetchPage(onOwnHost)) };
  await fetchPage(atBase);
  await Bun.sleep(IDLE_SECONDS * 1000);
  const idle = residentMiB(server.pid);

  const nginx = await startNginx(bench, content);
  const bareBun = await startBareBun(bench, content);
  const peers: Peer[] = [
    { name: 'nginx', pids: () => [nginx.pid], url: `http://127.0.0.1:${nginx.port}${path}`, host },
    {
      name: 'bare Bun.serve',
      pids: () => [bareBun.pid],
      url: `http://127.0.0.1:${bareBun.port}${path}`,
      host,
    },
    onOwnHost,
    atBase,
  ];
  for (const peer of peers) await assertSameContent(peer, content);
  const figures = await measureInTurns(peers, {
    rounds: ROUNDS,
    seconds: ROUND_SECONDS,
    warmUpSeconds: WARM_UP_SECONDS,
    connections: CONNECTIONS,
    cores: LOAD_CORE,
  });
  await Bun.sleep(IDLE_SECONDS * 1000);
  const afterLoad = residentMiB(server.pid);

  return [
    `${content.bytes.length} bytes without content encoding, ${CONNECTIONS} connections,`,
    `medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each, nginx ${await nginxVersion()}`,
    '',
    throughputTable(figures),
    '',
    `Idle memory of Quire: ${memory(idle)} after start; ${memory(afterLoad)} after the load.`,
  ].join('\n');
}

function throughputTable(figures: Figures[]): string {
  const [nginx, bareBun] = figures;
  return table(
    [
      '',
      'requests/s',
      'spread',
      'of nginx',
      'of bare Bun',
      'p50 ms',
      'p99 ms',
      'CPU us/request',
      'core busy',
    ],
    figures.map((peer) => [
      peer.name,
      rate(peer.requestsPerSecond),
      percent(peer.spread),
      ratio(peer.requestsPerSecond, nginx?.requestsPerSecond),
      ratio(peer.requestsPerSecond, bareBun?.requestsPerSecond),
      peer.p50Ms.toFixed(2),
      peer.p99Ms.toFixed(2),
      peer.cpuMicroseconds.toFixed(1),
      percent(peer.busy),
    ]),
  );
}

function memory({ all, own }: { all: number; own: number }): string {
  return `${Math.round(all)} MB (${Math.round(own)} of its own, the rest files such as the program)`;
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
async function fetchPage({ url, host }: Peer): Promise<Omit<Content, 'path'>> {
  const response = await fetch(url, { headers: { host, 'accept-encoding': 'identity' } });
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
