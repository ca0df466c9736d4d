import { join } from 'node:path';
import { z } from 'zod';
import { DATABASE_HEADERS, DATABASE_PATHS, type HostStatus } from '../../../../workers/protocol.ts';
import { sendRequest } from '../address.ts';

const Status = z.object({
  bytes: z.number().optional(),
  lastUses: z.record(z.string(), z.number()).optional(),
});

/** Requests to one host, whether it runs or not. */
export class HostConnection {
  private readonly socket: string;

  /** `folder` has the host's socket, `http`. */
  constructor(
    folder: string,
    private readonly key: string,
  ) {
    this.socket = join(folder, 'http');
  }

  /** Sends a request to one of the host's databases. */
  send(ownerId: number, databaseId: number, path: string, init?: RequestInit): Promise<Response> {
    return sendRequest({ socket: this.socket, key: this.key, ownerId }, databaseId, path, init);
  }

  /** Asks how the host is, after it has collected its garbage if `collects`. */
  async status(timeoutMs: number, headers: Record<string, string>, collects: boolean): Promise<HostStatus> {
    const path = collects ? DATABASE_PATHS.collect : DATABASE_PATHS.status;
    const response = await this.ask(path, timeoutMs, headers);
    const { bytes, lastUses } = Status.parse(await response.json());
    return { ...(bytes !== undefined && { bytes }), ...(lastUses && { lastUses }) };
  }

  /** Asks the host to finish what is running, and to hand its databases over. */
  async drain(timeoutMs: number): Promise<void> {
    await this.ask(DATABASE_PATHS.drain, timeoutMs);
  }

  private ask(path: string, timeoutMs: number, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`http://database${path}`, {
      unix: this.socket,
      headers: { ...headers, [DATABASE_HEADERS.key]: this.key },
      signal: AbortSignal.timeout(timeoutMs),
    } as RequestInit);
  }
}
