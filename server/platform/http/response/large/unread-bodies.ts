/**
 * An address can have one byte for so many that stay free, so a quarter of all if it is alone: a school can have one
 * address. The more are unread, the less each can have, so a few addresses cannot use up everything.
 */
const FREE_FOR_EACH = 3;
/** If fewer than this part of the bodies were found to be read, the next look waits. */
const WORTHWHILE_PART = 8;
const PAUSE_MS = 20;

/** A body that is being sent. */
export interface UnreadBody {
  /** The most memory that it can take until it is read. */
  bytes: number;
  /** False once the body is sent, or its connection is closed. Bun does not say so by itself. */
  isOpen(): boolean;
}

interface Holder {
  bodies: Set<UnreadBody>;
  bytes: number;
  /** When to look again for bodies that were read. */
  lookAt: number;
}

/** Divides the memory for what clients have not read yet between addresses. */
export class UnreadBodies {
  readonly #byAddress = new Map<string, Holder>();
  #lookAtAll = 0;
  #bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly now = () => performance.now(),
  ) {}

  /** The bytes that are unread, as far as is known. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body, or says whose share it does not fit into. Any body fits into a share that is empty. */
  add(address: string, body: UnreadBody): 'address' | 'total' | undefined {
    if (this.#bytes + body.bytes > this.maxBytes) this.#lookForReadOfAll();
    if (this.#bytes > 0 && this.#bytes + body.bytes > this.maxBytes) return 'total';
    const isOver = (unread: number) => {
      const bytes = this.#countBytes(address);
      return bytes > 0 && (bytes + body.bytes) * FREE_FOR_EACH > this.maxBytes - unread - body.bytes;
    };
    if (isOver(this.#bytes)) this.#lookForRead(address);
    // Others leave too little, unless they have read theirs.
    if (isOver(this.#bytes) && !isOver(this.#countBytes(address))) this.#lookForReadOfAll();
    if (isOver(this.#bytes)) return 'address';
    const holder = this.#byAddress.get(address) ?? { bodies: new Set(), bytes: 0, lookAt: 0 };
    if (holder.bodies.size === 0) this.#byAddress.set(address, holder);
    holder.bodies.add(body);
    this.#count(holder, body.bytes);
    return undefined;
  }

  #countBytes(address: string): number {
    return this.#byAddress.get(address)?.bytes ?? 0;
  }

  #lookForReadOfAll(): void {
    const now = this.now();
    if (now < this.#lookAtAll) return;
    const before = this.#bytes;
    for (const [address, holder] of this.#byAddress) {
      holder.lookAt = 0;
      this.#lookForRead(address);
    }
    if (before - this.#bytes < before / WORTHWHILE_PART) this.#lookAtAll = now + PAUSE_MS;
  }

  #lookForRead(address: string): void {
    const holder = this.#byAddress.get(address);
    const now = this.now();
    if (!holder || now < holder.lookAt) return;
    const before = holder.bytes;
    for (const body of holder.bodies) {
      if (body.isOpen()) continue;
      holder.bodies.delete(body);
      this.#count(holder, -body.bytes);
    }
    if (holder.bodies.size === 0) this.#byAddress.delete(address);
    if (before - holder.bytes < before / WORTHWHILE_PART) holder.lookAt = now + PAUSE_MS;
  }

  #count(holder: Holder, change: number): void {
    holder.bytes += change;
    this.#bytes += change;
  }
}
