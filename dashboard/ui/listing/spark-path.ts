/** The line of a small chart: the days since the first one with a number. */

export const WIDTH = 88;
export const HEIGHT = 24;
/** Space for the line at the top and for the dot at the end. */
const MARGIN = 2;

interface SparkPath {
  line: string;
  area: string;
  last: readonly [x: number, y: number];
}

/** Undefined if there is nothing to draw. Numbers that are not finite count as none. */
export function drawSpark(values: number[]): SparkPath | undefined {
  const clean = values.map((value) => (Number.isFinite(value) && value > 0 ? value : 0));
  const first = clean.findIndex((value) => value > 0);
  if (first < 0) return undefined;
  const most = Math.max(...clean);
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, clean.length - 1);
  const round = (number: number) => Math.round(number * 10) / 10;
  const points = clean
    .map((value, at) => {
      const y = HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN);
      return [round(MARGIN + at * step), round(y)] as const;
    })
    .slice(first);
  const line = points.map((point) => point.join(' ')).join(' L');
  const [start] = points;
  const last = points.at(-1) ?? [0, 0];
  const bottom = HEIGHT - MARGIN;
  // A single day is a stick: a line from the days before would say that there were some.
  if (points.length < 2) return { line: `M${last[0]} ${bottom} L${line}`, area: '', last };
  return { line: `M${line}`, area: `M${start?.[0]} ${bottom} L${line} L${last[0]} ${bottom} Z`, last };
}
