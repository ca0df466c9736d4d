import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import guard from '../../../workers/guard.js' with { type: 'text' };
import lanesWorker from '../../../workers/lanes.js' with { type: 'text' };
import { blockMatcher } from '../../lib/addresses.ts';
import type { NetworkFiles, OwnerId, Runtime, WorkerdProcess } from '../workerd/index.ts';
import { egressConfig, startHelper } from '../workerd/index.ts';
import { createLanes, SERVER_LANE } from './lanes.ts';
import { createRefusals } from './refusals.ts';

/** How a cell gets to the egress. */
export interface Pass {
  /** Names the cell there. Known to the cell's configuration alone, so that no function can speak for another. */
  key: string;
  /** The folder with the socket of its owner's lane, `http`, for its box to see. */
  folder: string;
  /** To be called when the cell has ended. */
  release(): void;
}

/** The only way out of cells: to public addresses, and to those the operator allows. */
export interface Egress {
  /** The folder with the server's own socket, `http`. */
  folder: string;
  /** The group that may connect to it, when the server is root. */
  group: number | undefined;
  /** Lets a cell in; `log` gets a line for each of its requests that is refused or fails. */
  admit(owner: OwnerId, log: (line: string) => void): Pass;
  stop(): Promise<void>;
}

/** Starts the egress and keeps it up: when it dies, another takes its place under the same address. */
export async function startEgress(options: {
  runtime: Runtime;
  network: NetworkFiles;
  allow: string[];
  /** How many owners can have cells at a time. */
  owners: number;
  connections: { total: number; perOwner: number };
  maxDescriptors: number;
  onLine(line: string): void;
}): Promise<Egress> {
  const { runtime, network, allow, connections, maxDescriptors, onLine } = options;
  const user = runtime.sandbox.users?.egress;
  const lanes = createLanes(options.owners);
  const laneNames = Array.from({ length: options.owners + 1 }, (_, lane) => `lane-${lane}`);
  runtime.makeFolder('egress', user, user?.id);
  const laneFolders = laneNames.map((name) => runtime.makeFolder(join('egress', name), user, user?.id));
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
      config: ({ folder }) =>
        egressConfig({
          innerSocket: join(folder, 'inner'),
          lanes: laneNames.map((name) => join(folder, name, 'http')),
          ...{ connections, allow, deny },
        }),
      modules: { 'egress-guard.js': guard, 'egress-lanes.js': lanesWorker },
      sockets: ['inner', ...laneNames.map((name) => join(name, 'http'))],
      maxDescriptors,
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
    folder: laneFolders[SERVER_LANE] ?? '',
    group: user?.id,
    admit(owner, log) {
      const { lane, release } = lanes.take(owner);
      const named = refusals.admit(lane, log);
      return {
        key: named.key,
        folder: laneFolders[lane] ?? '',
        release() {
          named.release();
          release();
        },
      };
    },
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
