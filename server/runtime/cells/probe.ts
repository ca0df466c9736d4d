import { PROBE_PATHS, type ProbeStatus } from '../../../workers/protocol.ts';

/** The socket of a cell that only the service uses. */
export class Probe {
  constructor(readonly socket: string) {}

  /** What the module exports. Owner code can make that hang or throw. */
  async readStatus(signal: AbortSignal): Promise<ProbeStatus> {
    const response = await this.ask(PROBE_PATHS.status, { signal });
    return (await response.json()) as ProbeStatus;
  }

  /** Resolves when the event loop has responded. No deadline: limits apply to its CPU time, not to the elapsed time. */
  respond(): Promise<Response> {
    return this.ask(PROBE_PATHS.status, { timeout: false });
  }

  /** Collects garbage. */
  collect(): Promise<Response> {
    return this.ask(PROBE_PATHS.collect, { timeout: false });
  }

  private ask(path: string, options: { signal?: AbortSignal; timeout?: false }): Promise<Response> {
    return fetch(`http://probe${path}`, { ...options, unix: this.socket } as RequestInit);
  }
}
