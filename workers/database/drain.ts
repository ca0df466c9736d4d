import { DATABASE_HEADERS, DATABASE_PATHS } from '../protocol.ts';
import { inUse, selfToken } from './handover.ts';

/** How long running requests can take to finish. Databases have the rest to write their notes. */
const FINISH_MS = 15_000;
const DRAIN_MS = 19_000;
const POLL_MS = 10;
/** A response takes a moment to arrive after the database has sent it. */
const AFTERMATH_MS = 100;

/** The shutdown of a host: requests that are running finish, and new ones are refused. */
export class Drain {
  isDraining = false;
  private running = 0;

  /** Counts a request; call what it returns when the request is done. */
  begin(): () => void {
    this.running++;
    return () => {
      this.running--;
    };
  }

  /** Waits for running requests, until their responses have arrived. */
  async finish(): Promise<void> {
    await this.finishRunning();
    await sleep(AFTERMATH_MS);
  }

  /** Waits for running requests, and then has every database in use write its handover notes. */
  async run(databases: DurableObjectNamespace): Promise<void> {
    const startedAt = Date.now();
    await this.finishRunning();
    const writing = inUse().map((name) =>
      databases
        .get(databases.idFromName(name))
        .fetch(handoverRequest(name))
        .catch(() => undefined),
    );
    await Promise.race([Promise.all(writing), sleep(startedAt + DRAIN_MS - Date.now())]);
    await sleep(AFTERMATH_MS);
  }

  private async finishRunning(): Promise<void> {
    this.isDraining = true;
    const startedAt = Date.now();
    while (this.running > 0 && Date.now() < startedAt + FINISH_MS) await sleep(POLL_MS);
  }
}

function handoverRequest(name: string): Request {
  const headers = { [DATABASE_HEADERS.database]: name, [DATABASE_HEADERS.handover]: selfToken() };
  return new Request(`http://database${DATABASE_PATHS.handover}`, { headers });
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
