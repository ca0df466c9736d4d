/** A random generator that gives the same numbers for the same seed. */
export class Random {
  private state: number;

  constructor(seed: number, stream = 0) {
    this.state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error('there is nothing to pick from');
    return item as Item;
  }

  /** A unique word. */
  word(length = 10): string {
    return Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[this.int(0, 35)]).join('');
  }
}
