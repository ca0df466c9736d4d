import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { formatNumber } from '../format.ts';
import { Icon } from '../icons.tsx';
import { type Frame, Plot, stepWidth, toX } from './plot.tsx';
import { niceTicks, type TimeUnit } from './scale.ts';
import { momentText, type Series, valueText } from './series.ts';

interface ChartProps {
  title: string;
  /** When each point begins. */
  moments: readonly string[];
  unit: TimeUnit;
  series: Series[];
  /** How values are written. */
  format?: (value: number) => string;
  /** 1,024 for bytes. */
  base?: number;
  /** Shown instead of the chart if all values are zero. */
  empty?: string;
  /** At the top right, such as a total. */
  headline?: ComponentChildren;
  height?: number;
}

const HEIGHT = 220;
const BOTTOM = 24;
const LETTER_WIDTH = 6.6;
const FIRST_WIDTH = 640;

/** A chart of values over time. The values at the pointer are shown beside it; arrow keys move from point to point. */
export function Chart({ title, headline, series, height = HEIGHT, empty, ...rest }: ChartProps) {
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = series.filter(({ name }) => !hidden.has(name));
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    // One always stays.
    if (series.some((each) => !next.has(each.name))) setHidden(next);
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {headline !== undefined && <strong>{headline}</strong>}
        {series.length > 1 && !(isEmpty && empty) && (
          <Legend series={series} hidden={hidden} onToggle={toggle} />
        )}
      </figcaption>
      {isEmpty && empty ? (
        <div class="chart-empty" style={{ minHeight: `${height}px` }}>
          <Icon name="chart" size={24} />
          <p>{empty}</p>
        </div>
      ) : (
        <>
          <Interactive title={title} series={shown} height={height} {...rest} />
          <Values title={title} series={series} {...rest} />
        </>
      )}
    </figure>
  );
}

/** Has the size of a chart while its values are loaded. */
export function ChartSkeleton({ height = HEIGHT }: { height?: number }) {
  return (
    <div class="chart chart-loading" role="status" aria-label={t('Loading')}>
      <span />
      <div style={{ height: `${height}px` }} />
    </div>
  );
}

function Legend({
  series,
  hidden,
  onToggle,
}: {
  series: Series[];
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
}) {
  return (
    <span class="chart-legend">
      {series.map(({ name, color }) => (
        <button key={name} type="button" aria-pressed={!hidden.has(name)} onClick={() => onToggle(name)}>
          <i class={`chart-mark color-${color}`} aria-hidden="true" />
          {name}
        </button>
      ))}
    </span>
  );
}

type InteractiveProps = Omit<ChartProps, 'headline' | 'height' | 'empty'> & { height: number };

function Interactive({ title, moments, unit, series, height, ...rest }: InteractiveProps) {
  const { format = formatNumber, base } = rest;
  const [place, width] = useWidth();
  const [active, setActive] = useState<number>();
  const count = moments.length;
  const values = series.flatMap((each) => each.values);
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  const isWhole = values.every((value) => Number.isInteger(value ?? 0));
  const ticks = niceTicks(highest, { isWhole, ...(base && { base }) });
  const labels = Math.max(...ticks.map((tick) => format(tick).length));
  const frame: Frame = { width, height, left: 14 + labels * LETTER_WIDTH, bottom: BOTTOM, ticks, count };
  const shown = active === undefined ? undefined : Math.min(active, count - 1);
  const onPointer = (event: PointerEvent) => {
    const x = event.clientX - (place.current?.getBoundingClientRect().left ?? 0) - frame.left;
    setActive(Math.min(count - 1, Math.max(0, Math.floor(x / stepWidth(frame)))));
  };
  const said = shown === undefined ? '' : describePoint(shown, { moments, unit, series, format });
  return (
    <div
      ref={place}
      class="chart-plot"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={shown ?? Math.max(0, count - 1)}
      aria-valuetext={said || t('Use the arrow keys to read the values.')}
      style={{ height: `${height}px` }}
      onPointerMove={onPointer}
      onPointerDown={onPointer}
      onPointerLeave={() => setActive(undefined)}
      onBlur={() => setActive(undefined)}
      onKeyDown={(event) => {
        const next = nextPoint(event.key, shown, count);
        if (next === 'none' || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        setActive(next);
      }}
    >
      <Plot {...{ frame, moments, unit, series, format, active: shown }} />
      {shown !== undefined && (
        <Tip x={toX(frame, shown)} width={width} title={momentText(moments[shown] ?? '', unit)}>
          {series.map(({ name, color, values: own }) => (
            <li key={name}>
              <i class={`chart-mark color-${color}`} />
              <span>{name}</span>
              <b>{valueText(own[shown], format)}</b>
            </li>
          ))}
        </Tip>
      )}
    </div>
  );
}

/** The point that a key leads to; undefined for none of them, `none` if the key means nothing here. */
function nextPoint(key: string, now: number | undefined, count: number): number | undefined | 'none' {
  const from = now ?? count;
  const moves: Record<string, number | undefined> = {
    ArrowLeft: Math.max(0, from - 1),
    ArrowDown: Math.max(0, from - 1),
    ArrowRight: Math.min(count - 1, from + 1),
    ArrowUp: Math.min(count - 1, from + 1),
    PageDown: Math.max(0, from - 7),
    PageUp: Math.min(count - 1, from + 7),
    Home: 0,
    End: count - 1,
    Escape: undefined,
  };
  return key in moves ? moves[key] : 'none';
}

function describePoint(
  index: number,
  { moments, unit, series, format }: Required<Pick<ChartProps, 'moments' | 'unit' | 'series' | 'format'>>,
): string {
  const values = series.map(({ name, values }) => `${name} ${valueText(values[index], format)}`);
  return `${momentText(moments[index] ?? '', unit)}: ${values.join(', ')}`;
}

interface TipProps {
  x: number;
  width: number;
  title: string;
  children: ComponentChildren;
}

/** The values at a point, on the side of it that has more room. */
function Tip({ x, width, title, children }: TipProps) {
  const side = x < width / 2 ? { left: `${x + 12}px` } : { right: `${width - x + 12}px` };
  return (
    <div class="chart-tip" style={side} aria-hidden="true">
      <p>{title}</p>
      <ul>{children}</ul>
    </div>
  );
}

/** For screen readers, and for people who copy the values. */
function Values({
  title,
  moments,
  unit,
  series,
  format = formatNumber,
}: Omit<ChartProps, 'headline' | 'empty'>) {
  return (
    <div class="for-readers">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Time')}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {moments.map((moment, index) => (
            <tr key={moment}>
              <th scope="row">{momentText(moment, unit)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{valueText(values[index], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The width of an element, also after it changes. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(200, element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width] as const;
}
