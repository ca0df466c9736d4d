import { DATABASE_HEADERS, GRANT_PATH, type GrantRequest, type GrantResponse } from '../../protocol.ts';
import { CodedError } from '../failures.ts';
import { type Quota, QuotaError } from './quota.ts';

/** A server that hangs must not hang its databases: the runtime would end one that waits for long. */
const ANSWER_MS = 10_000;

/**
 * The quota of a database in a cluster. No host sees all databases of an owner, so the server charges the owner and
 * grants bytes in steps. A growing database rarely has to ask.
 */
export class GrantedQuota implements Quota {
  granted: number | undefined;

  constructor(
    private readonly server: { fetch(request: Request): Promise<Response> },
    private readonly key: string,
    private readonly who: () => { owner: string; database: string },
  ) {}

  async request(bytes: number): Promise<void> {
    const answer = await this.ask(bytes).catch(() => undefined);
    if (answer && 'granted' in answer) {
      this.granted = answer.granted;
      return;
    }
    if (answer?.refused === 'QUOTA_EXCEEDED') throw new QuotaError();
    if (answer?.refused === 'NOT_FOUND') throw new CodedError('The database was removed.', 'NOT_FOUND');
    throw new CodedError(
      'The database cannot grow right now: the quota could not be looked up. Try again in a moment.',
      'UNAVAILABLE',
    );
  }

  record(): void {
    // Nothing is recorded: the grant is what counts.
  }

  private async ask(bytes: number): Promise<GrantResponse> {
    const { owner, database } = this.who();
    const request: GrantRequest = { owner: Number(owner), database, bytes };
    const response = await this.server.fetch(
      new Request(`http://server${GRANT_PATH}`, {
        method: 'POST',
        headers: { [DATABASE_HEADERS.key]: this.key },
        body: JSON.stringify(request),
        signal: AbortSignal.timeout(ANSWER_MS),
      }),
    );
    return response.json();
  }
}
