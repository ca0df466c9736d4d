import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { blockMatcher } from '../lib/addresses.ts';
import { egressConfig } from './config-text.ts';
import guard from './guard.worker.js' with { type: 'text' };
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import { createRefusals, type Pass } from './refusals.ts';
import type { Runtime } from './runtime.ts';
import { attached } from './sandbox.ts';
import { openSocket } from './socket.ts';

/** The only way out of cells: to public addresses, and to those the operator allows. */
export interface Egress {
  /** The folder with its socket, `http`, for boxes to see. */
  folder: string;
  /** Lets a cell in; `tell` gets a line for each request of its that is refused or fails. */
  admit(tell: (line: string) => void): Pass;
  stop(): Promise<void>;
}

/** Starts the egress and keeps it up: when it dies, another takes its place under the same address. */
export async function startEgress(
  runtime: Runtime,
  allow: string[],
  onLine: (line: string) => void,
): Promise<Egress> {
  const folder = runtime.makeFolder('egress');
  const configFile = join(runtime.folder, 'egress.capnp');
  const refusals = createRefusals();
  runtime.writeFile(join(runtime.folder, 'egress-guard.js'), guard);
  runtime.writeFile(
    configFile,
    egressConfig({ socket: join(folder, 'http'), allow, deny: ownAddresses(allow) }),
  );
  let isStopping = false;
  let current: WorkerdProcess;

  async function start(): Promise<WorkerdProcess> {
    const process = await openSocket(join(folder, 'http'), () =>
      startWorkerd({
        command: attached([runtime.binary, ...SERVE, '--experimental', configFile]),
        sockets: 1,
        hasInfoFd: false,
        deadlineMs: 10_000,
        onLine(line) {
          refusals.line(line);
          onLine(line);
        },
      }),
    );
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
