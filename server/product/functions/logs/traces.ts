import { randomSecret } from '../../../lib/secrets.ts';
import type { Line } from './lines.ts';
import type { LogRow } from './store.ts';

/** The most output of a traced call, which is returned with its response. */
const MAX_ENTRIES = 100;
const MAX_LETTERS = 64 * 1024;
/** How long traces are remembered: calls can print after their end, and their lines must still be recognised. */
const MAX_KNOWN = 1_000;
/** How long to wait for a call's last line, which can come after its response. */
const LATE_MS = 500;

type TracedEntry = Pick<LogRow, 'at' | 'kind' | 'level' | 'message'>;

/** One call of a function, and the lines that it printed. */
export class Trace {
  /** The secret mark of the call's lines, which nobody else can print. */
  readonly id = randomSecret();
  readonly entries: TracedEntry[] = [];
  /** True if there are more lines than are kept. */
  isCut = false;
  readonly #over = Promise.withResolvers<void>();
  #letters = 0;
  #isOpen = true;
  #thrown: TracedEntry | undefined;

  constructor(readonly functionId: number) {}

  /** The stack of what the function threw. */
  get exception(): string | undefined {
    return this.#thrown?.message;
  }

  add(entry: TracedEntry): void {
    if (!this.#isOpen) return;
    if (entry.kind === 'exception') {
      this.#thrown = entry;
      return;
    }
    this.#letters += entry.message.length;
    if (this.entries.length < MAX_ENTRIES && this.#letters <= MAX_LETTERS) this.entries.push(entry);
    else this.isCut = true;
  }

  /** Call this when the function has returned. */
  reachEnd(): void {
    this.#over.resolve();
  }

  /** Waits a moment for lines that are still on their way. */
  async close(): Promise<void> {
    const timer = setTimeout(this.#over.resolve, LATE_MS);
    await this.#over.promise;
    clearTimeout(timer);
    this.#isOpen = false;
  }
}

/** Calls of owners who want to see what happens in them. */
export class Traces {
  readonly #known = new Map<string, Trace>();
  readonly #open = new Set<Trace>();

  begin(functionId: number): Trace {
    const trace = new Trace(functionId);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(trace.id, trace);
    this.#open.add(trace);
    return trace;
  }

  async end(trace: Trace): Promise<void> {
    await trace.close();
    this.#open.delete(trace);
  }

  /** Whether a mark belongs to a traced call. Visitors can make a function print anything that looks like a mark. */
  knows(functionId: number, id: string): boolean {
    return this.#known.get(id)?.functionId === functionId;
  }

  /** Adds a line to the call that printed it. Those of the platform have no mark, and belong to all calls that run. */
  add(functionId: number, { trace: id, isEnd }: Pick<Line, 'trace' | 'isEnd'>, entry: TracedEntry): void {
    if (id !== undefined) {
      const trace = this.#known.get(id);
      if (isEnd) trace?.reachEnd();
      else trace?.add(entry);
    } else if (entry.kind === 'system') {
      for (const trace of this.#open) if (trace.functionId === functionId) trace.add(entry);
    }
  }
}
