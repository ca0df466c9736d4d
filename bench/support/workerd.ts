import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVE, startWorkerd } from '../../server/runtime/workerd/process.ts';
import { findWorkerd } from '../../server/runtime/workerd/runtime.ts';
import { freePort } from '../../test/support/server.ts';
import type { Bench } from './bench.ts';

/** A workerd that serves one module on a port: no box, no shim, nothing in front. */
export interface BareWorkerd {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Resolves when it listens. */
export async function startBareWorkerd(bench: Bench, code: string): Promise<BareWorkerd> {
  const port = await freePort();
  writeFileSync(join(bench.folder, 'bare.js'), code);
  const config = join(bench.folder, 'bare.capnp');
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker)],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
    );
    const worker :Workerd.Worker = (
      compatibilityDate = "2026-10-01",
      modules = [(name = "bare.js", esModule = embed "bare.js")]
    );`,
  );
  const starting = startWorkerd({
    launch: {
      command: [findWorkerd(), ...SERVE, config],
      cwd: undefined,
      hasInfoFd: false,
      filter: undefined,
    },
    sockets: 1,
    deadlineMs: 10_000,
    onLine: (line) => console.error(line),
  });
  const stop = async () => {
    const workerd = await starting;
    workerd.kill();
    await workerd.exited;
  };
  bench.atEnd(() => stop().catch(() => undefined));
  return { url: `http://127.0.0.1:${port}/`, pid: (await starting).pid, stop };
}
