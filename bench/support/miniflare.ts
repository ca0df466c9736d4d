import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../run.ts';
import { childOf } from './process.ts';

/** Cloudflare's local runner of workers. Quire does not depend on it. */
export interface InstalledMiniflare {
  version: string;
  /** Runs a module, with a database on disk as `env.DB`. */
  start(code: string): Promise<Miniflare>;
}

export interface Miniflare {
  url: string;
  /** Node, and the workerd it runs. */
  pids: number[];
  stop(): Promise<unknown>;
}

const PROGRAM = join(import.meta.dir, 'miniflare-server.mjs');

/** Installs miniflare into the benchmark's folder. */
export async function installMiniflare(bench: Bench): Promise<InstalledMiniflare> {
  for (const command of ['node', 'npm']) {
    if (!Bun.which(command)) throw new Error(`The benchmark needs ${command}, to run miniflare.`);
  }
  const folder = join(bench.folder, 'miniflare');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  console.error('Installing miniflare into a temporary folder');
  const npm = Bun.spawn(['npm', 'install', 'miniflare@4', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  bench.atEnd(() => {
    npm.kill();
    return npm.exited;
  });
  if ((await npm.exited) !== 0) throw new Error('npm could not install miniflare.');
  const manifest = readFileSync(join(folder, 'node_modules/miniflare/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return { version, start: (code) => start(bench, folder, code) };
}

async function start(bench: Bench, folder: string, code: string): Promise<Miniflare> {
  const settings = {
    modules: true,
    script: code,
    host: '127.0.0.1',
    port: 0,
    // As new as any workerd of this major version knows.
    compatibilityDate: '2026-04-01',
    d1Databases: { DB: 'bench' },
    d1Persist: join(folder, 'd1'),
    cf: false,
    telemetry: { enabled: false },
  };
  const child = Bun.spawn(['node', PROGRAM, JSON.stringify(settings)], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stop = () => {
    child.kill();
    return child.exited;
  };
  bench.atEnd(stop);
  for await (const chunk of child.stdout) {
    const url = Buffer.from(chunk).toString().trim();
    return { url, pids: [child.pid, childOf(child.pid)], stop };
  }
  throw new Error('miniflare did not start.');
}
