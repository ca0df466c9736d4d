import type { createClientAddress, PageHost, SocketServer, Visit } from './platform/http/index.ts';
import { REQUEST_KIND } from './platform/operations/metrics/index.ts';

export type ClientAddress = ReturnType<typeof createClientAddress>;
type RequestKind = (typeof REQUEST_KIND)[keyof typeof REQUEST_KIND];

/** A visit, and the kind of request. Its address is looked up only if needed. */
export class Arrival implements Visit {
  kind: RequestKind = REQUEST_KIND.other;
  isIdSent = false;
  /** Set if the response is large and has waited for its turn. */
  isLarge = false;
  pageHost?: PageHost | undefined;
  readonly startedAt = performance.now();
  readonly isRead: boolean;

  constructor(
    readonly requestId: string,
    private readonly request: Request,
    private readonly peer: () => string,
    private readonly clientAddress: ClientAddress,
    readonly socketServer: SocketServer | undefined,
  ) {
    this.isRead = request.method === 'GET' || request.method === 'HEAD';
  }

  get address(): string {
    return this.clientAddress.resolveAddress(this.peer(), this.request.headers);
  }

  get isAddressSure(): boolean {
    return this.clientAddress.isSure(this.peer(), this.request.headers);
  }

  /** Whether the response is still being sent. False for requests that did not come over the network. */
  isOpen(): boolean {
    return (this.socketServer?.requestIP(this.request) ?? null) !== null;
  }
}

/** The host of a page at the service. Most visits never need its origin. */
export class OwnHost implements PageHost {
  constructor(
    readonly pageId: number,
    private readonly scheme: string,
    private readonly pagesHost: string | undefined,
  ) {}

  get origin(): string {
    return `${this.scheme}//p${this.pageId}.${this.pagesHost}`;
  }
}
