import { addHistogram, chooseBucket, emptyHistogram } from './durations.ts';
import type { CountedCalls } from './stats-store.ts';

const HOUR_MS = 3600 * 1000;

/** Counts calls by function and hour, until they are written. */
export class CallStatistics {
  #rows = new Map<string, CountedCalls>();

  count(functionId: number, call: { at: number; durationMs: number; isError: boolean }): void {
    const row = this.#findRow(functionId, call.at - (call.at % HOUR_MS));
    const bucket = chooseBucket(call.durationMs);
    row.calls++;
    if (call.isError) row.errors++;
    row.duration_total_ms += call.durationMs;
    row.duration_max_ms = Math.max(row.duration_max_ms, call.durationMs);
    row.durations[bucket] = (row.durations[bucket] ?? 0) + 1;
  }

  add(added: CountedCalls): void {
    const row = this.#findRow(added.function_id, added.hour);
    row.calls += added.calls;
    row.errors += added.errors;
    row.duration_total_ms += added.duration_total_ms;
    row.duration_max_ms = Math.max(row.duration_max_ms, added.duration_max_ms);
    addHistogram(row.durations, added.durations);
  }

  /** Takes the counts so far. If they cannot be written, they are added again. */
  take(): CountedCalls[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }

  #findRow(functionId: number, hour: number): CountedCalls {
    const key = `${functionId} ${hour}`;
    const known = this.#rows.get(key);
    if (known) return known;
    const row = {
      ...{ function_id: functionId, hour, calls: 0, errors: 0, duration_total_ms: 0, duration_max_ms: 0 },
      durations: emptyHistogram(),
    };
    this.#rows.set(key, row);
    return row;
  }
}
