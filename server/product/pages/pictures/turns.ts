/** Pages that wait for something, by owner. Owners take turns, however many pages each has waiting. */
export class Turns {
  readonly #owners = new Map<number, Set<number>>();
  #size = 0;

  constructor(private readonly limits: { pages: number; perOwner: number }) {}

  /** Adds a page. One that is already waiting keeps its place. False if too many wait. */
  add(ownerId: number, pageId: number): boolean {
    const own = this.#owners.get(ownerId) ?? new Set();
    if (own.has(pageId)) return true;
    if (own.size >= this.limits.perOwner || this.#size >= this.limits.pages) return false;
    this.#owners.set(ownerId, own.add(pageId));
    this.#size++;
    return true;
  }

  /** Takes the page whose turn it is. Its owner moves to the end. */
  take(): { ownerId: number; pageId: number } | undefined {
    const [turn] = this.#owners;
    if (!turn) return undefined;
    const [ownerId, own] = turn;
    const [pageId = 0] = own;
    own.delete(pageId);
    this.#owners.delete(ownerId);
    if (own.size > 0) this.#owners.set(ownerId, own);
    this.#size--;
    return { ownerId, pageId };
  }
}
