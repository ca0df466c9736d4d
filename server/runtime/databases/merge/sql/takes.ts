import type { Take } from '../port.ts';

/** What people have decided. */
export class Takes {
  private readonly byPath: Map<string, Take['from']>;

  constructor(takes: readonly Take[]) {
    this.byPath = new Map(takes.map(({ path, from }) => [path, from]));
  }

  /** The side that counts for an entry. What is no conflict is only decided by its own path. */
  find(path: string, isConflict: boolean): Take['from'] | undefined {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const from = this.byPath.get(at);
      if (from !== undefined) return from;
      if (!isConflict || !at.includes('/')) return undefined;
    }
  }

  /** What is decided below a path, by what follows it. */
  listBelow(path: string): Array<{ name: string; from: Take['from'] }> {
    return [...this.byPath]
      .filter(([each]) => each.startsWith(`${path}/`))
      .map(([each, from]) => ({ name: each.slice(path.length + 1), from }));
  }
}
