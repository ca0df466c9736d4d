/** Where the lines and labels of a chart are. */

const STEPS = [1, 2, 5, 10];

interface TickOptions {
  /** About so many lines above zero. */
  count?: number;
  /** False if there are values between 1 and 2. */
  isWhole?: boolean;
  /** Lines are at round multiples of it, or of it to a higher power, such as 1,024 for bytes. */
  base?: number;
}

/** Round values from zero to one that is not below `max`. */
export function niceTicks(max: number, { count = 4, isWhole = true, base = 10 }: TickOptions = {}): number[] {
  if (!(max > 0)) return [0, 1];
  const unit = base === 10 ? 1 : base ** Math.floor(Math.log(max) / Math.log(base));
  const rough = max / unit / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = magnitude * (STEPS.find((each) => each * magnitude >= rough * 0.999) ?? 10);
  const size = (isWhole ? Math.max(1, step * unit) : step * unit) || 1;
  const lines = Math.ceil(max / size - 1e-9);
  return Array.from({ length: lines + 1 }, (_, i) => Number((i * size).toPrecision(12)));
}

/** What a point of a chart covers. */
export type TimeUnit = 'minute' | 'hour' | 'day';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Distances between labels that people expect. */
const DISTANCES = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 15, 30].map((days) => days * DAY_MS),
];

/**
 * The points below which there is a label: at round times, at most `most`. Days are counted in UTC, everything else in
 * the time zone of the person, `offsetMs` from UTC.
 */
export function labelledPoints(moments: number[], unit: TimeUnit, most: number, offsetMs: number): number[] {
  const [first = 0, second = first] = moments;
  const last = moments.at(-1) ?? first;
  const between = Math.max(second - first, 1);
  const distance =
    DISTANCES.find((each) => each >= between && (last - first) / each < Math.max(1, most)) ??
    last - first + 1;
  const shift = unit === 'day' ? 0 : offsetMs;
  const found: number[] = [];
  for (const [index, moment] of moments.entries()) {
    // Days count back from the last one, which is today.
    const place = unit === 'day' ? last - moment : moment + shift;
    if (place % distance < between && (unit !== 'day' || place % distance === 0)) found.push(index);
  }
  return found;
}
