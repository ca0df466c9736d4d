import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { blockMatcher } from '../../lib/addresses.ts';
import { loadModule } from '../../lib/modules.ts';
import {
  type BoxUser,
  egressConfig,
  hasCertificates,
  type NetworkFiles,
  type OwnerId,
  type Runtime,
  startHelper,
  type WorkerdProcess,
} from '../workerd/index.ts';
import { createLanes, type Lanes, SERVER_LANE } from './lanes.ts';
import { createRefusals } from './refusals.ts';

/** A cell's access to the egress. */
export interface Pass {
  /** Identifies the cell. Only the cell's configuration has it, so a function cannot impersonate another one. */
  key: string;
  /** The folder with the socket of the owner's lane, `http`. The cell's box mounts this folder. */
  folder: string;
  /** Call this when the cell has ended. */
  release(): void;
}

interface EgressOptions {
  runtime: Runtime;
  network: NetworkFiles;
  /** Private addresses that cells may connect to. */
  allow: string[];
  /** How many owners can have cells at the same time. */
  owners: number;
  connections: { total: number; perOwner: number };
  maxDescriptors: number;
  onLine(line: string): void;
}

const RESTART_MS = 1_000;

/**
 * The only network access of cells: to public addresses and to those that the operator allows. Its process starts on
 * first use. If it dies, a new one replaces it at the same address.
 */
export class Egress {
  /** The folder with the server's own socket, `http`. */
  readonly folder: string;
  /** The group that may connect to the server's own socket, if the server is root. */
  readonly group: number | undefined;
  private readonly user: BoxUser | undefined;
  private readonly lanes: Lanes;
  private readonly laneNames: string[];
  private readonly laneFolders: string[];
  private readonly refusals = createRefusals();
  private readonly deny: string[];
  private isStopping = false;
  private starting: Promise<void> | undefined;
  private restarting: Promise<void> | undefined;
  private process: WorkerdProcess | undefined;

  constructor(private readonly options: EgressOptions) {
    const { runtime, owners } = options;
    const user = runtime.sandbox.users?.egress;
    this.user = user;
    this.group = user?.id;
    this.lanes = createLanes(owners);
    this.laneNames = Array.from({ length: owners + 1 }, (_, lane) => `lane-${lane}`);
    this.laneFolders = this.laneNames.map((name) => join(runtime.folder, 'egress', name));
    this.folder = this.laneFolders[SERVER_LANE] ?? '';
    this.deny = ownAddresses(options.allow);
  }

  /** Starts the process, unless it was started before. */
  ready(): Promise<void> {
    this.starting ??= this.start().catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }

  private async start(): Promise<void> {
    if (this.isStopping) throw new Error('The server is stopping.');
    const { runtime, network, allow, connections, maxDescriptors } = this.options;
    for (const name of ['', ...this.laneNames])
      runtime.makeFolder(join('egress', name), this.user, this.user?.id);
    const { process } = await startHelper({
      runtime,
      kind: 'egress',
      name: 'egress',
      user: this.user,
      config: ({ folder }) =>
        egressConfig({
          innerSocket: join(folder, 'inner'),
          lanes: this.laneNames.map((name) => join(folder, name, 'http')),
          ...{ connections, allow, deny: this.deny, hasTls: hasCertificates() },
        }),
      modules: {
        'egress-guard.js': await loadModule('workers/egress/guard.ts'),
        'egress-lanes.js': await loadModule('workers/egress/lanes.ts'),
      },
      sockets: ['inner', ...this.laneNames.map((name) => join(name, 'http'))],
      maxDescriptors,
      flags: ['--experimental'],
      hasNetwork: true,
      readOnly: network.readOnly,
      onLine: (line) => {
        this.refusals.line(line);
        this.options.onLine(line);
      },
    });
    this.process = process;
    void process.exited.then(() => {
      this.restarting = this.restart();
    });
  }

  /** Gives a cell access. `log` is called for each of its requests that is refused or fails. */
  admit(owner: OwnerId, log: (line: string) => void): Pass {
    const { lane, release } = this.lanes.take(owner);
    const admitted = this.refusals.admit(lane, log);
    return {
      key: admitted.key,
      folder: this.laneFolders[lane] ?? '',
      release() {
        admitted.release();
        release();
      },
    };
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.starting?.catch(() => undefined);
    await this.restarting;
    this.process?.kill();
    await this.process?.exited;
  }

  private async restart(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.start();
        return;
      } catch (error) {
        this.options.onLine(`the egress could not be restarted: ${error}`);
        await Bun.sleep(RESTART_MS);
      }
    }
  }
}

/**
 * This machine's own addresses, except those that the operator allows. Its public addresses are denied too: a firewall
 * may block them from outside but not from the machine itself.
 */
function ownAddresses(allow: string[]): string[] {
  const isAllowed = blockMatcher(allow);
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses.map(({ address }) => address))
    .filter((address) => !isAllowed(address));
}
