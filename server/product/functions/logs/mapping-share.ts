/** How much of source maps may be read in a second, for all functions: about a quarter of a processor's time. */
const LETTERS_PER_SECOND = 5_000_000;
/** How much of its source map a version can have read in a second. A large one is read only now and then. */
const OWN_PER_SECOND = 1_000_000;
const MAX_KNOWN = 1_000;

/**
 * Divides the time for mapping stacks. It takes as long as the source map is large, and a function can throw as often as
 * it likes. What gets no turn stays as it was printed.
 */
export class MappingShare {
  private readonly known = new Map<string, { letters: number; restsUntil: number }>();
  private left = LETTERS_PER_SECOND;
  private filledAt: number;

  constructor(private readonly now = () => performance.now()) {
    this.filledAt = now();
  }

  /** Orders versions with small maps first, so that they do not wait for others. */
  inOrder<Item>(items: Iterable<[version: string, Item]>): Array<[version: string, Item]> {
    const countLetters = (version: string) => this.known.get(version)?.letters ?? 0;
    return [...items].sort(([a], [b]) => countLetters(a) - countLetters(b));
  }

  isFree(version: string): boolean {
    const now = this.now();
    const added = ((now - this.filledAt) / 1000) * LETTERS_PER_SECOND;
    this.left = Math.min(LETTERS_PER_SECOND, this.left + added);
    this.filledAt = now;
    return this.left > 0 && now >= (this.known.get(version)?.restsUntil ?? 0);
  }

  /** Counts a map that was read. */
  count(version: string, letters: number): void {
    this.left -= letters;
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(version, { letters, restsUntil: this.now() + (letters / OWN_PER_SECOND) * 1000 });
  }
}
