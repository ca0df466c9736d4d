import { DATABASE_HEADERS, parseSizes, RESTORED, readGeneration } from '../protocol.ts';
import { failure } from './failures.ts';

const POLL_MS = 5;
/** A statement that runs longer ends its host. */
const SETTLE_MS = 40_000;

/** Keeps calls that began before a restore from changing what was restored. */
export class Fence {
  private running = 0;

  /** Cells of earlier generations are refused. */
  constructor(public generation = 0) {}

  /** Why a request is refused. The server has no generation, and is always admitted. */
  refuse({ headers }: Request): Response | undefined {
    if (this.generation === 0) return undefined;
    const generation = readGeneration(headers.get(DATABASE_HEADERS.key));
    if (generation === undefined || generation >= this.generation) return undefined;
    return failure(503, RESTORED, 'UNAVAILABLE');
  }

  /** Counts a request that was admitted; call what it returns when it has run. */
  begin(): () => void {
    this.running++;
    return () => {
      this.running--;
    };
  }

  /** Refuses earlier generations from now on. */
  raise(generation: number): void {
    this.generation = Math.max(this.generation, generation);
  }

  /** Waits for what was admitted before. False if it takes too long. */
  async settle(): Promise<boolean> {
    const until = Date.now() + SETTLE_MS;
    while (this.running > 0 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return this.running === 0;
  }
}

/** The fences of the databases of a process, by name. `text` has the generations of those that were restored. */
export class Fences {
  private readonly fences = new Map<string, Fence>();

  constructor(text: string) {
    for (const [name, generation] of parseSizes(text)) this.fences.set(name, new Fence(generation));
  }

  find(name: string): Fence {
    const fence = this.fences.get(name) ?? new Fence();
    this.fences.set(name, fence);
    return fence;
  }
}

export async function readRaised(request: Request): Promise<number> {
  return ((await request.json()) as { generation: number }).generation;
}
