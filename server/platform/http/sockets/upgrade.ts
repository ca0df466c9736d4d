import { AppError } from '../../../lib/errors.ts';
import type { SocketKind, SocketSession } from './session.ts';

interface UpgradeOptions {
  /** Counted under this name in the metrics. */
  kind: SocketKind;
  /** The subprotocol that the client asked for and the session speaks. */
  protocol?: string | undefined;
  /** The largest message that the client may send, if smaller than `MAX_MESSAGE_BYTES`. */
  maxMessageBytes?: number;
}

/** Larger messages end the connection with code 1009. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** What a handler returns to answer a request with a WebSocket. */
export class Upgrade {
  constructor(
    readonly session: SocketSession,
    readonly options: UpgradeOptions,
  ) {}
}

/** Whether a request asks for a WebSocket. */
export function asksForSocket({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket';
}

/** The subprotocols that a client offers, in the order of its preference. */
export function offeredProtocols({ headers }: Request): string[] {
  const offered = headers.get('sec-websocket-protocol');
  return offered === null ? [] : offered.split(',').map((name) => name.trim());
}

export function upgradeRequired(): AppError {
  return new AppError(
    'UPGRADE_REQUIRED',
    'Open a WebSocket here: new WebSocket(url).',
    {},
    {
      headers: { upgrade: 'websocket', connection: 'Upgrade' },
    },
  );
}
