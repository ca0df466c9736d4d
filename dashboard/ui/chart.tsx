import { formatNumber } from './format.ts';

interface Point {
  label: string;
  value: number;
}

interface ChartProps {
  title: string;
  points: Point[];
  unit?: string;
  format?: (value: number) => string;
  kind?: 'bars' | 'line';
  /** Shown at the top instead of the last value, for example a total. */
  headline?: string;
}

const WIDTH = 320;
const HEIGHT = 72;

/** A small chart with its last value at the top, and its time range and peak below. */
export function Chart({
  title,
  points,
  unit = '',
  format = formatNumber,
  kind = 'bars',
  headline,
}: ChartProps) {
  const highest = Math.max(0, ...points.map(({ value }) => value));
  const last = points.at(-1)?.value ?? 0;
  const y = (value: number) => (highest === 0 ? 0 : (value / highest) * (HEIGHT - 8));
  const step = WIDTH / Math.max(1, points.length);
  const places = points.map(({ value }, i) => `${i * step + step / 2},${HEIGHT - 4 - y(value)}`);
  const words = (value: number) => [format(value), unit].filter(Boolean).join(' ');
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <strong>{headline ?? words(last)}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {kind === 'line' ? (
          <>
            <polyline points={places.join(' ')} />
            {places.length > 0 && <path class="dot" d={`M${places.at(-1)} h0`} />}
          </>
        ) : (
          points.map(({ label, value }, i) => (
            <rect
              key={label}
              x={i * step + step * 0.1}
              width={step * 0.8}
              y={HEIGHT - 1 - y(value)}
              height={y(value)}
            >
              <title>{`${label}: ${words(value)}`}</title>
            </rect>
          ))
        )}
      </svg>
      <p class="hint">
        {points[0] ? `${points[0].label} – ${points.at(-1)?.label} · Peak ${words(highest)}` : 'No data yet'}
      </p>
    </figure>
  );
}
