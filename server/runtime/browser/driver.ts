import { CHECK_SECONDS } from '../../../contract/checks/page-check.ts';
import { helperCommand } from '../../lib/modules.ts';
import { within } from '../../lib/time-limits/within.ts';
import type { FromDriver, ToDriver, VisitOrder, VisitReport } from './visit.ts';

/** The report of a visit, or why there is none. */
type Outcome = { report: VisitReport } | { failure: string };

/** Something that ends with the browser. */
interface Group {
  remove(): void;
}

/** A process that controls one browser. Its box ends with it, and it ends with the server. */
export class Driver {
  readonly outcome: Promise<Outcome>;
  private readonly process: Bun.Subprocess;
  private group: Group | undefined;

  /** `enter` puts the first process of the box into its control group, before it starts others. */
  constructor(runtimeFolder: string, order: VisitOrder, enter: (pid: number) => Group | undefined) {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const command = helperCommand(new URL('./driver/driver.process.ts', import.meta.url));
    // The cleaner of a killed server finds this process by the folder.
    this.process = Bun.spawn([...LEASH, ...command, `${runtimeFolder}/`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // Passes none of the server's settings, some of which are secret.
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      serialization: 'advanced',
      ipc: (message: FromDriver) => {
        if (!('pid' in message)) return resolve(message);
        this.group = enter(message.pid);
        this.send({ go: true });
      },
      onExit: () => resolve({ failure: 'its process has ended' }),
    });
    this.send({ order });
    const tooLong = () => new Error('it took too long');
    this.outcome = within(CHECK_SECONDS * 1_000, promise, tooLong).catch((error: Error) => ({
      failure: error.message,
    }));
  }

  /** Ends the process and its box. */
  async stop(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
    this.group?.remove();
  }

  private send(message: ToDriver): void {
    this.process.send(message);
  }
}

/** Kills the process if this one is killed. */
const LEASH = ['setpriv', '--pdeathsig=KILL', '--'];
