/** One address can have one in so many of all connections, and of all bytes that wait for clients. */
const PART_OF_ADDRESS = 20;
/** One /48 network of IPv6, the most that a customer has, can have one in so many of all connections. */
const PART_OF_NETWORK = 4;
/** The bytes that may wait for clients to read them. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** Messages that one address can send a second on average, and at once. Many small ones keep a server busy. */
const MESSAGES_PER_SECOND = 5_000;
export const MESSAGES_AT_ONCE = 20_000;

/** What one address uses. */
export interface Share {
  /** Counts connections. */
  sockets(change: number): void;
  /** Counts bytes that wait for the client. False if that is too many. */
  waiting(change: number): boolean;
  /** Counts messages from the client. Returns the milliseconds until the next one is within what it can send. */
  messages(count: number): number;
}

interface Use {
  sockets: number;
  waitingBytes: number;
  /** Messages that still count towards the limit, and when they were counted. */
  messages: number;
  countedAt: number;
}

/** Divides connections, and the memory for what clients have not read, between addresses. */
export class Shares {
  readonly total = { sockets: 0, waitingBytes: 0 };
  readonly #byAddress = new Map<string, Use>();
  /** The number of connections of each network. */
  readonly #byNetwork = new Map<string, number>();

  constructor(
    private readonly maxSockets: number,
    private readonly now = () => performance.now(),
    private readonly partOfAddress = PART_OF_ADDRESS,
  ) {}

  /** The connections that one address can have. */
  get socketsPerAddress(): number {
    return Math.max(1, Math.floor(this.maxSockets / this.partOfAddress));
  }

  /** Why this address cannot open another connection, if it cannot. */
  refusal(address: string): 'address' | 'network' | 'total' | undefined {
    const own = this.#byAddress.get(address)?.sockets ?? 0;
    if (own >= this.socketsPerAddress) return 'address';
    const ofNetwork = this.#byNetwork.get(toNetwork(address) ?? '') ?? 0;
    if (ofNetwork >= this.maxSockets / PART_OF_NETWORK) return 'network';
    return this.total.sockets >= this.maxSockets ? 'total' : undefined;
  }

  of(address: string): Share {
    return {
      sockets: (change) => {
        const use = this.#use(address);
        use.sockets += change;
        this.total.sockets += change;
        if (use.sockets === 0) this.#byAddress.delete(address);
        this.#countInNetwork(toNetwork(address), change);
      },
      waiting: (change) => {
        const use = this.#use(address);
        use.waitingBytes += change;
        this.total.waitingBytes += change;
        return (
          change <= 0 ||
          (use.waitingBytes <= MAX_WAITING_BYTES / PART_OF_ADDRESS &&
            this.total.waitingBytes <= MAX_WAITING_BYTES)
        );
      },
      messages: (count) => {
        const use = this.#use(address);
        const now = this.now();
        const back = ((now - use.countedAt) / 1000) * MESSAGES_PER_SECOND;
        use.messages = Math.max(0, use.messages - back) + count;
        use.countedAt = now;
        return (Math.max(0, use.messages - MESSAGES_AT_ONCE) / MESSAGES_PER_SECOND) * 1000;
      },
    };
  }

  #countInNetwork(network: string | undefined, change: number): void {
    if (network === undefined) return;
    const sockets = (this.#byNetwork.get(network) ?? 0) + change;
    if (sockets === 0) this.#byNetwork.delete(network);
    else this.#byNetwork.set(network, sockets);
  }

  #use(address: string): Use {
    let use = this.#byAddress.get(address);
    if (!use) {
      use = { sockets: 0, waitingBytes: 0, messages: 0, countedAt: 0 };
      this.#byAddress.set(address, use);
    }
    return use;
  }
}

/** The /48 network of an IPv6 address, which is a key of limits: its /64 network. */
export function toNetwork(address: string): string | undefined {
  return /^([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/.exec(address)?.[1];
}
