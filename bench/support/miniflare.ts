import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../run.ts';
import { childOf } from './process.ts';

/** Cloudflare's own local runner of workers, which is no dependency of ours. */
export interface Miniflare {
  url: string;
  version: string;
  /** Node, and the workerd it runs. */
  pids: number[];
}

const PROGRAM = join(import.meta.dir, 'miniflare-server.mjs');

/** Installs miniflare into the benchmark's folder and runs a module on it, with a database on disk as `env.DB`. */
export async function startMiniflare(bench: Bench, code: string): Promise<Miniflare> {
  const { folder, version } = await install(bench);
  const settings = {
    modules: true,
    script: code,
    host: '127.0.0.1',
    port: 0,
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
  bench.atEnd(() => {
    child.kill();
    return child.exited;
  });
  for await (const chunk of child.stdout) {
    const url = Buffer.from(chunk).toString().trim();
    return { url, version, pids: [child.pid, childOf(child.pid)] };
  }
  throw new Error('miniflare did not start');
}

async function install(bench: Bench): Promise<{ folder: string; version: string }> {
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
  if ((await npm.exited) !== 0) throw new Error('npm could not install miniflare.');
  const { version } = JSON.parse(
    readFileSync(join(folder, 'node_modules/miniflare/package.json'), 'utf8'),
  ) as { version: string };
  return { folder, version };
}
