import type { QueryResult } from 'kysely';
import type { Client, ClientConfig } from 'pg';
import { isReadTimeout, isUnavailable } from '../postgres-messages.ts';
import { findStatementName } from '../statement.ts';
import type { PostgresLink } from './patience.ts';

interface Line {
  client: Client;
  /** Resolves once the client is connected. */
  opened: Promise<unknown>;
  isOpen: boolean;
  /** Statements that were sent and not answered yet. */
  pending: number;
}

/**
 * Connections for statements outside of a transaction. Many requests share a connection: each statement is sent at
 * once, without waiting for the answers to those before it. That takes a third of the processor time of a connection
 * from the pool, and PostgreSQL answers several statements with one write.
 */
export class Pipeline {
  private readonly lines = new Set<Line>();

  constructor(
    private readonly connect: (config: ClientConfig) => Client,
    private readonly options: {
      config: ClientConfig;
      connections: number;
      /** Handles a failure, and returns the error that the caller sees. */
      fail(error: unknown): unknown;
      isOutdated(error: unknown): boolean;
      link: PostgresLink | undefined;
    },
  ) {}

  /** The number of connections, as a pool reports it. */
  get totalCount(): number {
    return this.lines.size;
  }

  get idleCount(): number {
    return [...this.lines].filter(({ pending }) => pending === 0).length;
  }

  readonly waitingCount = 0;

  async run(text: string, values: unknown[]): Promise<QueryResult<unknown>> {
    try {
      return await this.sendWhenOpen(this.choose(), text, values);
    } catch (error) {
      const isRepeatable = /^select\b/.test(text) && isUnavailable(error) && !isReadTimeout(error);
      if (!isRepeatable && !this.options.isOutdated(error)) throw this.options.fail(error);
    }
    // The connection is gone, or has refused the statement, as the others would. A new one prepares it again. Reads can
    // be repeated.
    return this.sendWhenOpen(this.open(), text, values).catch((error: unknown) => {
      throw this.options.fail(error);
    });
  }

  /** Waits for a connection while there is none. Once a statement was sent, PostgreSQL may have run it. */
  private async sendWhenOpen(line: Line, text: string, values: unknown[]): Promise<QueryResult<unknown>> {
    return this.send(line.isOpen ? line : await this.untilOpen(line), text, values);
  }

  /** Waits for this connection or, if it cannot be opened, for another one. */
  private untilOpen(chosen: Line): Promise<Line> {
    const { patience } = this.options.link ?? {};
    const opening = async () => {
      const line = this.lines.has(chosen) ? chosen : this.choose();
      line.pending++;
      try {
        await line.opened;
      } finally {
        line.pending--;
      }
      return line;
    };
    return patience ? patience.attempt(() => patience.unlessSilent(opening(), () => undefined)) : opening();
  }

  private async send(line: Line, text: string, values: unknown[]): Promise<QueryResult<unknown>> {
    line.pending++;
    try {
      const { command, rowCount, rows } = await line.client.query({
        name: findStatementName(text) ?? '',
        text,
        values,
      });
      this.options.link?.heartbeat.heard();
      if (command === 'SELECT') return { rows };
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      if (this.options.isOutdated(error)) this.close(line);
      // A connection that is about to end must not get more statements.
      if (isUnavailable(error)) this.lines.delete(line);
      throw error;
    } finally {
      line.pending--;
    }
  }

  /** The connection with the fewest pending statements, or a new one if all are busy. */
  private choose(): Line {
    let best: Line | undefined;
    for (const line of this.lines) if (!best || line.pending < best.pending) best = line;
    if (best && (best.pending === 0 || this.lines.size >= this.options.connections)) return best;
    return this.open();
  }

  private open(): Line {
    const client = this.connect({ ...this.options.config, pipeline: true });
    const line: Line = { client, opened: client.connect(), isOpen: false, pending: 0 };
    const drop = () => this.lines.delete(line);
    // Pending statements fail by themselves. The next one opens a new connection.
    client.on('error', drop);
    client.on('end', drop);
    line.opened.then(() => {
      line.isOpen = true;
    }, drop);
    this.lines.add(line);
    this.options.link?.patience.watch(client);
    return line;
  }

  private async close(line: Line): Promise<void> {
    // Several statements can find the failure at the same time.
    if (this.lines.delete(line)) await line.client.end().catch(() => undefined);
  }

  async end(): Promise<void> {
    await Promise.all([...this.lines].map((line) => this.close(line)));
  }
}
