import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AttackReport } from '../contract/attack/attack.ts';
import { LEFT_REASONS } from '../contract/attack/words.ts';
import { holdoutSamples } from '../test/attack/holdout/index.ts';
import { publishSample } from '../test/attack/publish-sample.ts';
import { applicationSamples } from '../test/attack/samples/applications.ts';
import { collectionSamples } from '../test/attack/samples/collections.ts';
import { functionSamples } from '../test/attack/samples/functions.ts';
import type { Sample } from '../test/attack/samples/sample.ts';
import { strictSamples } from '../test/attack/samples/strict.ts';
import { call, login, publish, register } from '../test/support/http/client.ts';
import { enterPage } from '../test/support/pages/sessions.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { median } from './support/table.ts';
import { assertWapitiWorks, runWapiti } from './support/wapiti.ts';

/** Finds the known holes of sample pages with an attack and with wapiti, which visits them as a person who is logged in. */

const SAMPLES = [
  ...[...collectionSamples, ...functionSamples, ...applicationSamples, ...strictSamples],
  ...holdoutSamples,
];
/** Without these, the figures would not be about the whole attack. */
const NEEDED = [LEFT_REASONS.over, LEFT_REASONS.noBrowser, LEFT_REASONS.notOpened].map(({ text }) => text);
const KINDS = [...new Set(SAMPLES.flatMap(({ holes }) => holes))].sort();
const ALL = 'all';
const SAFE = 'pages without holes';

const HOLES = 'Holes that are known, found by the attack / by wapiti';
const ALARMS = 'False alarms, of the attack / of wapiti';
const SECONDS = 'Seconds, the attack / wapiti';
const MEDIAN = 'one page, median';

export const figures: Figure[] = [
  { name: HOLES, digits: 0, rows: toRows([...KINDS, ALL]) },
  { name: ALARMS, digits: 0, rows: toRows([ALL, SAFE]) },
  { name: SECONDS, digits: 1, rows: toRows([MEDIAN]) },
];

export const hasOwnNetwork = true;
export const minutes = 60;
export const prepare = () => needCommands({ wapiti: 'wapiti' });

interface Tried {
  sample: Sample;
  attack: Found;
  wapiti: Found;
}

interface Found {
  kinds: Set<string>;
  seconds: number;
}

export default async function attackBesideWapiti(bench: Bench): Promise<Report> {
  const server = await startServer({ settings: { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' } });
  bench.atEnd(server.stop);
  await assertWapitiWorks(makeFolder(bench, 'control'));
  const samples = bench.pick(SAMPLES, SAMPLES.slice(0, 4));
  const tried: Tried[] = [];
  for (const [index, sample] of samples.entries()) {
    const each = await trySample(server, sample, index, makeFolder(bench, String(index)));
    tried.push(each);
    const say = ({ kinds, seconds }: Found) => `${[...kinds].join(', ') || '-'} (${seconds.toFixed(1)} s)`;
    const known = sample.holes.join(', ') || '-';
    console.error(`${sample.name}: ${known}; attack: ${say(each.attack)}; wapiti: ${say(each.wapiti)}`);
  }
  const safe = samples.filter(({ holes }) => holes.length === 0).length;
  const whose = ['attack', 'wapiti'] as const;
  return {
    note: `${samples.length} pages, ${safe} of them without holes; ${wapitiVersion()}.`,
    values: {
      [HOLES]: countHoles(tried),
      [ALARMS]: countAlarms(tried),
      [SECONDS]: { [MEDIAN]: whose.map((each) => median(tried.map((one) => one[each].seconds))) },
    },
  };
}

function makeFolder(bench: Bench, name: string): string {
  const folder = join(bench.folder, name);
  mkdirSync(folder);
  return folder;
}

/** Publishes a page and lets both look for its holes: each page has an owner and a visitor of its own. */
async function trySample(server: TestServer, sample: Sample, index: number, folder: string): Promise<Tried> {
  const [owner, visitor] = [await register(server, `owner${index}`), `visitor${index}`];
  const quire = {
    request(path: string, options: RequestInit & { headers?: Record<string, string> } = {}) {
      const { host, pathname, search } = new URL(path, server.baseUrl);
      const headers = { host, ...options.headers };
      const address = `http://127.0.0.1:${server.port}${pathname}${search}`;
      return fetch(address, { ...options, headers, redirect: 'manual', keepalive: false });
    },
  };
  const id = await publishSample(
    quire,
    {
      token: owner.token,
      call: (method, path, options) => call(server, method, path, { token: owner.token, ...options }),
      publish: (fields) => publish(server, owner.token, fields),
    },
    sample,
    index,
  );
  const { body } = await call(server, 'GET', `/api/pages/${id}`, { token: owner.token });
  await register(server, visitor);
  const cookie = await enterPage(quire, body.page, await login(server, visitor));
  const proxy = `http://127.0.0.1:${server.port}`;
  const url = `http://p${id}.pages.localhost:${server.port}/`;
  const seen = await fetch(url, { proxy, headers: { cookie } });
  const [title = ''] = /<title>.*?<\/title>/.exec(sample.html) ?? [];
  if (!(await seen.text()).includes(title)) throw new Error(`the visitor does not see ${sample.name}`);
  return {
    sample,
    attack: await measure(() => attack(server, owner.token, id)),
    wapiti: await measure(() => runWapiti({ url, proxy, cookie, folder })),
  };
}

async function attack(server: TestServer, token: string, id: number): Promise<Set<string>> {
  const options = { token, timeoutMs: 120_000 };
  const { status, body } = await call(server, 'POST', `/api/pages/${id}/attack`, options);
  if (status !== 200) throw new Error(`page ${id} could not be attacked: ${JSON.stringify(body)}`);
  const { findings, left } = body as AttackReport;
  const missing = left.filter((reason) => NEEDED.includes(reason));
  if (missing.length > 0) throw new Error(`not everything was tried: ${missing.join('; ')}`);
  return new Set(findings.filter(({ severity }) => severity !== 'question').map(({ kind }) => kind));
}

async function measure(find: () => Promise<Set<string>>): Promise<Found> {
  const startedAt = performance.now();
  const kinds = await find();
  return { kinds, seconds: (performance.now() - startedAt) / 1000 };
}

/** How many holes there are, and how many of them each has found. */
function countHoles(tried: Tried[]): Record<string, number[]> {
  const count = (kinds: readonly string[]) => {
    const holes = tried.flatMap(({ sample, attack, wapiti }) =>
      sample.holes.filter((hole) => kinds.includes(hole)).map((hole) => ({ hole, attack, wapiti })),
    );
    const found = (by: 'attack' | 'wapiti') => holes.filter((each) => each[by].kinds.has(each.hole)).length;
    return [holes.length, found('attack'), found('wapiti')];
  };
  return Object.fromEntries([...KINDS.map((kind) => [kind, count([kind])]), [ALL, count(KINDS)]]);
}

/** What is not among the holes of a page. */
const listAlarms = ({ sample, ...by }: Tried, who: 'attack' | 'wapiti') =>
  [...by[who].kinds].filter((kind) => !sample.holes.some((hole) => hole === kind));

function countAlarms(tried: Tried[]): Record<string, number[]> {
  const count = (pages: Tried[], who: 'attack' | 'wapiti') =>
    pages.reduce((sum, each) => sum + listAlarms(each, who).length, 0);
  const safe = tried.filter(({ sample }) => sample.holes.length === 0);
  return {
    [ALL]: [count(tried, 'attack'), count(tried, 'wapiti')],
    [SAFE]: [count(safe, 'attack'), count(safe, 'wapiti')],
  };
}

const wapitiVersion = () =>
  /Wapiti[ -][\d.]+/.exec(Bun.spawnSync(['wapiti', '--version']).stdout.toString())?.[0] ?? 'wapiti';
