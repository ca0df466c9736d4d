import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, EventStreams, Log } from '../../platform/http/index.ts';
import type { Providers } from '../../platform/providers/index.ts';
import type { Db } from '../../platform/storage/index.ts';

/** The person that a run works for. All requests of the run are on their behalf. */
export interface BuilderCaller {
  actor: Actor;
  bearer: string;
  address: string;
  requestId: string;
}

export interface Exchange {
  caller: BuilderCaller;
  signal: AbortSignal;
}

/** The tools of agents. */
export interface Toolbox {
  /** Describes a tool. Undefined if the scopes do not allow it. */
  describe(
    name: string,
    scopes: readonly string[],
  ): { description: string; inputSchema: Record<string, unknown> } | undefined;
  call(name: string, input: Record<string, unknown>, exchange: Exchange): Promise<ToolResult>;
}

/** The result of a tool. `text` is for the model, and marks what others wrote. */
export interface ToolResult {
  text: string;
  data: unknown;
  isError: boolean;
}

interface Spender {
  userId: number;
  pageId: number;
  needsConsent: false;
  tokenId?: number | undefined;
}

/** The part of credits that the builder uses. Amounts are in tokens. */
export interface Credits {
  affordable(spender: Spender): Promise<number | string>;
  reserve(
    wish: Spender & { feature: 'builder'; tokens: number },
  ): Promise<{ reservationId: string } | string>;
  settle(
    reservationId: string,
    usedTokens: number,
  ): Promise<{ chargedTokens: number; balanceTokens: number }>;
  release(reservationId: string): Promise<unknown>;
}

/** The dependencies of the builder slice. */
export interface BuilderContext {
  db: Db;
  broadcast: Pick<Broadcast, 'publish' | 'subscribe' | 'isSingleNode'>;
  streams: EventStreams;
  log: Log;
  now: () => number;
  baseUrl: string;
  turns: Providers['turns'];
  credits: Credits;
  /** The balance of a user, in credits. */
  readCredits(userId: number): Promise<number>;
  /** Returns a page that the caller can work on, and fails otherwise. */
  requireWritable(actor: Actor, pageId: number): Promise<{ id: number; name: string; slug: string }>;
  /** The service's own API, and the tools that call it. */
  service: Service;
}

/** The API and the tools, which are known only when all routes are. */
export interface Service {
  call(request: Request, visit: { address: string; requestId: string }): Promise<Response>;
  toolbox: Toolbox;
}
