import { join } from 'node:path';
import { cpuSeconds, descendants } from '../test/support/faults/process.ts';
import { freePort } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows, toValues, type Values } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { createPages } from './support/many-pages.ts';
import {
  createPocketbaseFolder,
  installPocketbase,
  POCKETBASE_MISSING,
  pocketbaseCommand,
} from './support/pocketbase.ts';
import { residentMiB } from './support/process.ts';
import { median } from './support/table.ts';

/**
 * Starting a server whose bundle and folder exist already: how long until it responds, the CPU time that it takes
 * until then, and the memory that it keeps while nobody asks for anything. Beside a bare `Bun.serve`, and PocketBase
 * where it runs.
 */

const ROOT = join(import.meta.dir, '..');
const LOOK_AGAIN_MS = 2;
const DEADLINE_MS = 60_000;

const QUIRE = 'Quire, `quire serve`';
const BARE_BUN = 'bare `Bun.serve`';
const POCKETBASE = 'PocketBase';
const WITHOUT_FILES = 'Quire, 1,000 pages';
const WITH_FILES = 'Quire, 1,000 pages with 100 files each';
const SECONDS = 'Spawn to first response in s';
const OF_WITHOUT_FILES = 'Spawn to first response, of without files';
const CPU = 'CPU time until the first response in s';
const SERVER = 'Idle memory in MB: the server';
const CHILDREN = 'Idle memory in MB: its child processes';

const peers = toRows([WITHOUT_FILES, WITH_FILES, BARE_BUN, POCKETBASE]);
export const figures: Figure[] = [
  { name: SECONDS, digits: 3, rows: { [QUIRE]: atMost(0.4), ...peers } },
  { name: OF_WITHOUT_FILES, digits: 2, rows: { [WITH_FILES]: atMost(1.1) } },
  { name: CPU, digits: 2, rows: { [QUIRE]: undefined, ...peers } },
  { name: SERVER, digits: 0, rows: { [QUIRE]: atMost(70), ...peers } },
  { name: CHILDREN, digits: 0, rows: { [QUIRE]: undefined, ...peers } },
];

interface Program {
  name: string;
  command(port: number): string[];
  env: Record<string, string>;
  /** The path that responds when it is ready. */
  path: string;
}

interface Start {
  seconds: number;
  cpuSeconds: number;
}

export default async function start(bench: Bench): Promise<Report> {
  const pages = bench.pick(1000, 50);
  const programs = [
    quire(bench, QUIRE),
    await filled(bench, WITHOUT_FILES, pages, 0),
    await filled(bench, WITH_FILES, pages, 100),
    await bareBun(bench),
  ];
  const pocketbase = await installPocketbase(bench);
  if (pocketbase) programs.push(await besideUs(bench, pocketbase));

  const starts = new Map<Program, Start[]>(programs.map((program) => [program, []]));
  // The first start of each creates its folder.
  for (const program of programs) await (await startOnce(bench, program)).stop();
  const rounds = bench.pick(9, 3);
  for (let round = 1; round <= rounds; round++) {
    for (const [program, collected] of starts) {
      const { stop, ...measured } = await startOnce(bench, program);
      await stop();
      collected.push(measured);
      console.error(`round ${round}: ${program.name}: ${measured.seconds.toFixed(3)} s`);
    }
  }
  const idleSeconds = bench.pick(10, 3);
  const values: Values = {
    ...medians(starts),
    ...(await idleMemory(bench, programs, idleSeconds)),
  };
  const note = `Medians of ${rounds} starts; memory ${idleSeconds} s after the start, as the system counts it, with shared files.`;
  return { note: pocketbase ? note : `${note} ${POCKETBASE_MISSING}`, values };
}

function quire(bench: Bench, name: string): Program & { env: { QUIRE_DATA: string } } {
  const command = () => ['sh', join(ROOT, 'bin/quire'), 'serve'];
  return { name, command, env: { QUIRE_DATA: join(bench.folder, name) }, path: '/healthz' };
}

async function filled(bench: Bench, name: string, pages: number, files: number): Promise<Program> {
  const program = quire(bench, name);
  await createPages(program.env.QUIRE_DATA, pages, files);
  return program;
}

async function bareBun(bench: Bench): Promise<Program> {
  const file = join(bench.folder, 'body.txt');
  await Bun.write(file, 'ready');
  const script = join(import.meta.dir, 'support/bare-bun.ts');
  const command = (port: number) => [process.execPath, script, String(port), file];
  return { name: BARE_BUN, command, env: {}, path: '/' };
}

async function besideUs(bench: Bench, program: string): Promise<Program> {
  const folder = join(bench.folder, 'pocketbase');
  await createPocketbaseFolder(program, folder);
  const command = (port: number) => pocketbaseCommand(program, folder, port);
  return { name: POCKETBASE, command, env: {}, path: '/api/health' };
}

/** Starts a program and waits for its first response. */
async function startOnce(
  bench: Bench,
  program: Program,
): Promise<Start & { pid: number; stop(): Promise<void> }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = Bun.spawn(program.command(port), {
    cwd: bench.folder,
    env: { PATH: process.env.PATH, HOME: bench.folder, PORT: String(port), ...program.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  bench.atEnd(stop);
  const url = `http://127.0.0.1:${port}${program.path}`;
  while (!(await responds(url))) {
    if (child.exitCode !== null) throw new Error(`${program.name} exited with ${child.exitCode}`);
    if (performance.now() - startedAt > DEADLINE_MS) throw new Error(`${program.name} does not respond`);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const pids = [child.pid, ...descendants(child.pid)];
  return { seconds, cpuSeconds: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0), pid: child.pid, stop };
}

const responds = (url: string): Promise<boolean> =>
  fetch(url, { keepalive: false }).then(
    async (response) => {
      await response.bytes();
      return response.ok;
    },
    () => false,
  );

function medians(starts: Map<Program, Start[]>): Values {
  const all = [...starts].map(([{ name }, measured]) => ({ name, measured }));
  const seconds = toValues(all, ({ measured }) => median(measured.map((one) => one.seconds)));
  return {
    [SECONDS]: seconds,
    [OF_WITHOUT_FILES]: { [WITH_FILES]: Number(seconds[WITH_FILES]) / Number(seconds[WITHOUT_FILES]) },
    [CPU]: toValues(all, ({ measured }) => median(measured.map((one) => one.cpuSeconds))),
  };
}

async function idleMemory(bench: Bench, programs: Program[], seconds: number): Promise<Values> {
  const running: Array<{ name: string; pid: number; stop(): Promise<void> }> = [];
  for (const program of programs) running.push({ name: program.name, ...(await startOnce(bench, program)) });
  await Bun.sleep(seconds * 1000);
  const values: Values = {
    [SERVER]: toValues(running, ({ pid }) => residentMiB(pid).all),
    [CHILDREN]: toValues(running, ({ pid }) =>
      descendants(pid).reduce((sum, child) => sum + residentMiB(child).all, 0),
    ),
  };
  for (const { stop } of running) await stop();
  return values;
}
