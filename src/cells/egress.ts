import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { blockMatcher } from '../lib/addresses.ts';
import { egressConfig } from './config-text.ts';
import guard from './guard.worker.js' with { type: 'text' };
import { startHelper } from './helper.ts';
import type { NetworkFiles } from './network-files.ts';
import type { WorkerdProcess } from './process.ts';
import { createRefusals, type Pass } from './refusals.ts';
import type { Runtime } from './runtime.ts';

/** The only way out of cells: to public addresses, and to those the operator allows. */
export interface Egress {
  /** The folder with its socket, `http`, for boxes to see. */
  folder: string;
  /** The group that may connect to it, when the server is root. */
  group: number | undefined;
  /** Lets a cell in; `tell` gets a line for each request of its that is refused or fails. */
  admit(tell: (line: string) => void): Pass;
  stop(): Promise<void>;
}

/** Starts the egress and keeps it up: when it dies, another takes its place under the same address. */
export async function startEgress(
  runtime: Runtime,
  network: NetworkFiles,
  allow: string[],
  onLine: (line: string) => void,
): Promise<Egress> {
  const user = runtime.sandbox.users?.egress;
  const folder = join(runtime.folder, 'egress');
  const refusals = createRefusals();
  const deny = ownAddresses(allow);
  let isStopping = false;
  let current: WorkerdProcess;

  async function start(): Promise<WorkerdProcess> {
    const { process } = await startHelper({
      runtime,
      kind: 'egress',
      name: 'egress',
      user,
      config: ({ socket }) => egressConfig({ socket, allow, deny }),
      modules: { 'egress-guard.js': guard },
      flags: ['--experimental'],
      hasNetwork: true,
      readOnly: network.readOnly,
      onLine(line) {
        refusals.line(line);
        onLine(line);
      },
    });
    void process.exited.then(async () => {
      while (!isStopping) {
        try {
          current = await start();
          return;
        } catch (error) {
          onLine(`the egress could not be started again: ${error}`);
          await Bun.sleep(1_000);
        }
      }
    });
    return process;
  }

  current = await start();
  return {
    folder,
    group: user?.id,
    admit: refusals.admit,
    async stop() {
      isStopping = true;
      current.kill();
      await current.exited;
    },
  };
}

/**
 * This machine's own addresses, but for those the operator allows. A public one is no way out: what listens there may
 * be open to the machine itself and closed to the world by a firewall.
 */
function ownAddresses(allow: string[]): string[] {
  const isAllowed = blockMatcher(allow);
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses.map(({ address }) => address))
    .filter((address) => !isAllowed(address));
}
