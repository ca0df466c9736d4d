import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { installPackage } from './npm.ts';
import { findChild } from './process.ts';

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

/** Installs miniflare, once for all benchmarks of a run. */
export async function installMiniflare(bench: Bench): Promise<InstalledMiniflare> {
  const { version, folder } = await installPackage(bench, 'miniflare', '4');
  return { version, start: (code) => start(bench, folder, code) };
}

async function start(bench: Bench, folder: string, code: string): Promise<Miniflare> {
  const settings = {
    modules: true,
    script: code,
    host: '127.0.0.1',
    port: 0,
    // The latest date that every workerd of this major version supports.
    compatibilityDate: '2026-04-01',
    d1Databases: { DB: 'bench' },
    d1Persist: join(bench.folder, 'd1'),
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
    return { url, pids: [child.pid, findChild(child.pid)], stop };
  }
  throw new Error('miniflare did not start.');
}
