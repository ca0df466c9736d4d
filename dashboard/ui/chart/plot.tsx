import { formatChartDay, formatChartTime } from '../format.ts';
import { labelledPoints, type TimeUnit } from './scale.ts';
import type { Series } from './series.ts';

/** Where things are, in pixels. */
export interface Frame {
  width: number;
  height: number;
  left: number;
  bottom: number;
  /** The values with a line, from zero to the highest. */
  ticks: number[];
  count: number;
}

const TOP = 8;
const RIGHT = 8;
const LABEL_WIDTH = 72;
const WIDEST_BAR = 26;
/** What a bar in another bar is narrower by. */
const NARROWER = 0.3;

export const stepWidth = ({ width, left, count }: Frame) => (width - left - RIGHT) / Math.max(1, count);
export const toX = (frame: Frame, index: number) => frame.left + (index + 0.5) * stepWidth(frame);
export function toY({ height, bottom, ticks }: Frame, value: number): number {
  const room = height - bottom - TOP;
  return TOP + room - (value / (ticks.at(-1) || 1)) * room;
}

interface PlotProps {
  frame: Frame;
  moments: readonly string[];
  unit: TimeUnit;
  series: Series[];
  format: (value: number) => string;
  active: number | undefined;
}

/** The picture. What it shows is also in the table for screen readers. */
export function Plot({ frame, moments, unit, series, format, active }: PlotProps) {
  const { width, height, bottom } = frame;
  const bars = series.filter(({ kind }) => kind === 'bars');
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <Grid frame={frame} format={format} />
      <TimeLabels frame={frame} moments={moments} unit={unit} />
      {active !== undefined && (
        <line
          class="chart-cross"
          x1={toX(frame, active)}
          x2={toX(frame, active)}
          y1={TOP}
          y2={height - bottom}
        />
      )}
      {series.map((each) => (
        <g key={each.name} class={`chart-series color-${each.color}`}>
          {each.kind === 'bars' ? (
            <Bars frame={frame} values={each.values} active={active} depth={bars.indexOf(each)} />
          ) : (
            <Line frame={frame} {...each} active={active} />
          )}
        </g>
      ))}
    </svg>
  );
}

function Grid({ frame, format }: Pick<PlotProps, 'frame' | 'format'>) {
  return (
    <g class="chart-grid">
      {frame.ticks.map((tick) => (
        <g key={tick}>
          <line x1={frame.left} x2={frame.width - RIGHT} y1={toY(frame, tick)} y2={toY(frame, tick)} />
          <text x={frame.left - 8} y={toY(frame, tick)} dy="0.32em" text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

function TimeLabels({ frame, moments, unit }: Pick<PlotProps, 'frame' | 'moments' | 'unit'>) {
  const times = moments.map((iso) => Date.parse(iso));
  const first = times[0] ?? 0;
  const offsetMs = -new Date(first).getTimezoneOffset() * 60_000;
  const room = frame.width - frame.left - RIGHT;
  const points = labelledPoints(times, unit, Math.floor(room / LABEL_WIDTH), offsetMs);
  const isLong = (times.at(-1) ?? 0) - first > 2 * 24 * 3600 * 1000;
  const label = unit === 'day' ? formatChartDay : isLong ? formatChartLocalDay : formatChartTime;
  // A label in the middle of a point at the edge would be cut.
  const half = LABEL_WIDTH / 2 - 12;
  const inside = (x: number) => Math.min(frame.width - half, Math.max(half, x));
  return (
    <g class="chart-times">
      {points.map((index) => (
        <text key={index} x={inside(toX(frame, index))} y={frame.height - 5} text-anchor="middle">
          {label(moments[index] ?? '')}
        </text>
      ))}
    </g>
  );
}

const formatChartLocalDay = (iso: string) => formatChartDay(iso, 'local');

type Values = Pick<Series, 'values'> & Pick<PlotProps, 'frame' | 'active'>;

/** Bars at one point stand in one another, each narrower than the one around it. */
function Bars({ frame, values, active, depth }: Values & { depth: number }) {
  const width = Math.max(1, Math.min(WIDEST_BAR, stepWidth(frame) * 0.72) * (1 - depth * NARROWER));
  const zero = toY(frame, 0);
  return (
    <>
      {values.map((value, index) =>
        value ? (
          <rect
            key={index}
            class={active !== undefined && active !== index ? 'is-other' : ''}
            x={toX(frame, index) - width / 2}
            width={width}
            y={Math.min(toY(frame, value), zero - 1)}
            height={Math.max(1, zero - toY(frame, value))}
            rx={Math.min(3, width / 3)}
          />
        ) : null,
      )}
    </>
  );
}

/** Points without a value are left out, and the line goes on at the next. */
function Line({ frame, values, kind, active }: Values & Pick<Series, 'kind'>) {
  const points = values.flatMap((value, index) =>
    value === null ? [] : [{ x: toX(frame, index), y: toY(frame, value) }],
  );
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const path = `M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`;
  const zero = toY(frame, 0);
  const value = active === undefined ? null : (values[active] ?? null);
  return (
    <>
      {kind === 'area' && <path class="chart-area" d={`${path}L${last.x} ${zero}L${first.x} ${zero}Z`} />}
      {first === last ? (
        <circle class="chart-dot" cx={first.x} cy={first.y} r="3" />
      ) : (
        <path class="chart-line" d={path} />
      )}
      {active !== undefined && value !== null && (
        <circle class="chart-active" cx={toX(frame, active)} cy={toY(frame, value)} r="4" />
      )}
    </>
  );
}
