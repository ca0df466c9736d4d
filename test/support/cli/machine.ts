import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnvFile } from '../../../server/commands/env-file.ts';
import { findBinaries } from '../engines/postgres.ts';
import { takePorts } from '../ports.ts';
import { startServer, type TestServer } from '../server.ts';
import { Guide } from './guide.ts';

/** The other machines of the guide. */

interface NewMachine {
  /** Where the first machine has its files. This one has others at the same paths. */
  root: string;
  names: Array<[there: string, here: string]>;
  /** The address of the machine, in the guide and here. */
  address: [there: string, here: string];
  port: number;
  /** The guide of the first machine. */
  guide: Guide;
}

/** A machine that joins a cluster. */
export class JoiningMachine {
  readonly guide: Guide;
  readonly #options: NewMachine;
  readonly #files = mkdtempSync(join(tmpdir(), 'quire-joining-'));
  #server: TestServer | undefined;

  constructor(options: NewMachine) {
    this.#options = options;
    // Sandboxes run as other users, and reach their files through this folder.
    chmodSync(this.#files, 0o755);
    const { root, port, names } = options;
    const [there, here] = options.address;
    this.guide = new Guide(
      {
        ...{ folder: root, within: this.#within },
        names: [
          [`${there}:7000`, `${here}:${takePorts(2)}`],
          [`${there}:3000`, `${here}:${port}`],
          [there, here],
          ...names,
        ],
        start: () => this.#start(),
        stop: () => this.stop(),
        readLog: () => this.#server?.output() ?? '',
      },
      options.guide,
    );
  }

  get server(): TestServer {
    if (!this.#server) throw new Error('the machine runs no server');
    return this.#server;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
    rmSync(this.#files, { recursive: true, force: true });
  }

  /** A command prefix for a process that sees the files of this machine, also those that are temporary. */
  get #within(): string[] {
    const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const script =
      'mount --bind "$1" "$2" && mkdir -p "$2/t" && export TMPDIR="$2/t" && shift 2 && exec "$@"';
    return ['unshare', '--mount', ...asRoot, 'sh', '-c', script, 'sh', this.#files, this.#options.root];
  }

  /** Starts the server as its unit does: with the file of settings, and nothing else. */
  async #start(): Promise<void> {
    const path = join(this.#files, 'quire.env');
    const settings = parseEnvFile(readFileSync(path, 'utf8'), path);
    this.#server = await startServer({
      ...{ settings, within: this.#within, host: this.#options.address[1], port: this.#options.port },
      dataFolder: settings.QUIRE_DATA ?? '',
    });
  }
}

/** The machine of PostgreSQL. */
export async function databaseMachine(url: string, folder: string, guide: Guide): Promise<Guide> {
  const { hostname, port, username } = new URL(url);
  const path = `${await findBinaries()}:${process.env.PATH}`;
  const nothing = async () => {};
  return new Guide(
    {
      ...{ folder, names: [], start: nothing, stop: nothing, readLog: () => '' },
      env: { PGHOST: hostname, PGPORT: port, PGUSER: username, PATH: path },
    },
    guide,
  );
}
