/** What one reader may take of everything, and of each share: a quarter. */
const PART_OF_READER = 4;

interface Size {
  bytes: number;
  /** The address of the reader whom it counts for. */
  source: string;
}

/** Counts what is kept in memory for many, so that one of them cannot take it all, and no reader either. */
export class KeptBytes {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limits: { total: number; share: number }) {}

  /** Begins to count something of a share. It has no size yet. */
  keep(share: number): Kept {
    let now: Size | undefined;
    return {
      resize: (bytes, sources) => {
        if (now) this.#count(share, now, -1);
        const source = [...new Set(sources)].find((each) => this.#hasRoom(share, { bytes, source: each }));
        if (source !== undefined) now = { bytes, source };
        if (now) this.#count(share, now, 1);
        return source !== undefined;
      },
      end: () => {
        if (now) this.#count(share, now, -1);
        now = undefined;
      },
    };
  }

  #hasRoom(share: number, { bytes, source }: Size): boolean {
    return this.#limitsFor(share, source).every(([name, most]) => this.#get(name) + bytes <= most);
  }

  #count(share: number, { bytes, source }: Size, sign: 1 | -1): void {
    for (const [name] of this.#limitsFor(share, source)) {
      const count = this.#get(name) + sign * bytes;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }

  #get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #limitsFor(share: number, source: string) {
    const { total, share: most } = this.limits;
    return [
      ['all', total],
      [`share ${share}`, most],
      [`reader ${source}`, total / PART_OF_READER],
      [`reader ${source} of ${share}`, most / PART_OF_READER],
    ] as const;
  }
}

/** Something that is counted. */
export interface Kept {
  /**
   * It has another size now. It counts for the first of these readers, by address, who has room. Returns false, and
   * counts as before, if nobody has.
   */
  resize(bytes: number, sources: Iterable<string>): boolean;
  end(): void;
}
