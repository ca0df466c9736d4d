import { startServer, type TestServer } from '../test/support/server.ts';
import { atLeast, type Figure, type Report, toRows, toValues } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { pinToCores } from './support/process.ts';
import { type Content, startNginx } from './support/static-servers.ts';
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
 * Serving the files of a page: an image of 1 MB, which the system sends from the disk, and a style sheet of 20 KB from
 * memory. Quire takes turns with nginx, which sends the same bytes, on one core; the load comes from another.
 */

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const CONNECTIONS = 64;

const NGINX = 'nginx';
const OWN_HOST = "Quire, the page's own host";
const AT_BASE = 'Quire, `/p/<slug>/`';
const QUIRE = [OWN_HOST, AT_BASE];
const ALL = [NGINX, ...QUIRE];

const FILES = { 'photo.png': makeImage, 'style.css': makeStyleSheet };

/** The largest packet of the loopback interface, and of Ethernet. */
const LOOPBACK = 65_536;
const ETHERNET = 1500;

const LOADS = [
  { path: 'photo.png', where: ', image of 1 MB', goal: atLeast(0.8), packet: LOOPBACK },
  {
    path: 'photo.png',
    where: ', image of 1 MB in packets as on Ethernet',
    goal: undefined,
    packet: ETHERNET,
  },
  { path: 'style.css', where: ', style sheet of 20 KB', goal: atLeast(0.3), packet: LOOPBACK },
] as const;

export const hasOwnNetwork = true;

export const prepare = () =>
  needCommands({ nginx: 'nginx-light', wrk: 'wrk', taskset: 'util-linux', ip: 'iproute2' });

export const figures: Figure[] = LOADS.flatMap(({ where, goal }) => [
  { name: `Requests/s, of nginx${where}`, digits: 2, rows: toRows(QUIRE, goal) },
  ...loadFigures(toRows(ALL), where, 1),
]);

export default async function serveFile(bench: Bench): Promise<Report> {
  await pinToCores([process.pid], SERVER_CORE);
  const server = await startServer();
  bench.atEnd(server.stop);
  const page = await publish(server);
  const values: Report['values'] = {};
  const all: Figures[] = [];
  for (const { path, where, packet } of LOADS) {
    await setPacketSize(packet);
    const measured = await measureInTurns(await startPeers(bench, server, page, path), {
      rounds: bench.pick(5, 1),
      seconds: bench.pick(3, 1),
      warmUpSeconds: bench.pick(2, 1),
      connections: CONNECTIONS,
      cores: LOAD_CORE,
    });
    all.push(...measured);
    const nginx = requireFigures(measured, NGINX).requestsPerSecond;
    const ours = measured.filter(({ name }) => name !== NGINX);
    values[`Requests/s, of nginx${where}`] = toValues(ours, (each) => each.requestsPerSecond / nginx);
    Object.assign(values, loadValues(measured, where));
  }
  return { note: describeSpread(all), values };
}

async function setPacketSize(bytes: number): Promise<void> {
  const child = Bun.spawn(['ip', 'link', 'set', 'lo', 'mtu', String(bytes)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error(`the packet size cannot be set to ${bytes}`);
}

interface PublishedPage {
  id: number;
  slug: string;
}

async function publish(server: TestServer): Promise<PublishedPage> {
  const account = { username: 'bench', email: 'bench@example.com', password: 'correct horse battery' };
  const { accessToken } = await send<{ accessToken: string }>(server, 'POST', '/api/auth/register', account);
  const fields = { name: 'Measured', html_content: '<!doctype html><title>Measured</title>' };
  const { page } = await send<{ page: PublishedPage }>(server, 'POST', '/api/pages', fields, accessToken);
  for (const [path, bytes] of Object.entries(FILES))
    await send(server, 'PUT', `/api/pages/${page.id}/files/${path}`, bytes(), accessToken);
  return page;
}

async function send<T>(
  server: TestServer,
  method: string,
  path: string,
  body: object | Uint8Array<ArrayBuffer>,
  token = '',
): Promise<T> {
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      ...(!isBytes && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: isBytes ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function startPeers(
  bench: Bench,
  server: TestServer,
  { id, slug }: PublishedPage,
  path: string,
): Promise<Peer[]> {
  const address = `http://127.0.0.1:${server.port}`;
  const pids = () => [server.pid];
  const host = `p${id}.pages.localhost:${server.port}`;
  const base = `localhost:${server.port}`;
  const onOwnHost: Peer = { name: OWN_HOST, pids, url: `${address}/${path}`, host };
  const atBase: Peer = { name: AT_BASE, pids, url: `${address}/p/${slug}/${path}`, host: base };
  const content: Content = { path: `/${path}`, ...(await fetchFile(onOwnHost)) };
  const nginx = await startNginx(bench, content);
  const url = `http://127.0.0.1:${nginx.port}/${path}`;
  const peers = [{ name: NGINX, pids: () => [nginx.pid], url, host }, onOwnHost, atBase];
  for (const peer of peers) {
    const { bytes } = await fetchFile(peer);
    if (!Buffer.from(bytes).equals(content.bytes)) throw new Error(`${peer.name} sends other bytes`);
  }
  return peers;
}

/** What a client that takes no compression gets, and the headers that are always the same. */
async function fetchFile({ url, host }: Peer): Promise<Omit<Content, 'path'>> {
  const response = await fetch(url, { headers: { host, 'accept-encoding': 'identity' } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  const kept = ['content-type', 'cache-control', 'vary', 'x-content-type-options', 'etag'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => kept.includes(name)));
  return { bytes: await response.bytes(), headers };
}

/** Bytes that cannot be compressed, as those of a photo. */
function makeImage(): Uint8Array<ArrayBuffer> {
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  return new Uint8Array(Buffer.concat(Array.from({ length: 16 }, () => piece)));
}

function makeStyleSheet(): Uint8Array<ArrayBuffer> {
  const rules = Array.from(
    { length: 400 },
    (_, at) => `.rule-${at} { color: hsl(${at}deg 50% 40%); margin: ${at}px }`,
  );
  return new Uint8Array(Buffer.from(rules.join('\n').slice(0, 20 * 1024)));
}
