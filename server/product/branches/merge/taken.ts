/** Which side counts for a path, and for all that begin with it. */
export type Take = ReadonlyArray<{ path: string; from: 'branch' | 'main' }>;

/** What was decided about paths. */
export class Taken {
  readonly #sides: ReadonlyMap<string, 'branch' | 'main'>;

  constructor(take: Take) {
    this.#sides = new Map(take.map(({ path, from }) => [path, from]));
  }

  /** The decision about the longest path that this one is, or begins with. */
  find(path: string): 'branch' | 'main' | undefined {
    if (this.#sides.size === 0) return undefined;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const side = this.#sides.get(path.slice(0, end));
      if (side) return side;
    }
    return undefined;
  }
}
