import type { StatsRow } from '../store.ts';

const HOUR_MS = 3600 * 1000;

/** Counts calls by function and hour, until they are written. */
export class CallStatistics {
  #rows = new Map<string, StatsRow>();

  count(functionId: number, call: { at: number; durationMs: number; isError: boolean }): void {
    this.add({
      function_id: functionId,
      hour: call.at - (call.at % HOUR_MS),
      calls: 1,
      errors: call.isError ? 1 : 0,
      duration_total_ms: call.durationMs,
      duration_max_ms: call.durationMs,
    });
  }

  add(added: StatsRow): void {
    const key = `${added.function_id} ${added.hour}`;
    const row = this.#rows.get(key);
    if (!row) {
      this.#rows.set(key, added);
      return;
    }
    row.calls += added.calls;
    row.errors += added.errors;
    row.duration_total_ms += added.duration_total_ms;
    row.duration_max_ms = Math.max(row.duration_max_ms, added.duration_max_ms);
  }

  /** Takes the counts so far. If they cannot be written, they are added again. */
  take(): StatsRow[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }
}
