import { formatChartDay, formatChartMoment } from '../format.ts';
import type { TimeUnit } from './scale.ts';

/** One line, area or row of bars. */
export interface Series {
  name: string;
  /** One for each moment. Null where nothing was measured. */
  values: ReadonlyArray<number | null>;
  kind: 'line' | 'area' | 'bars';
  /** `soft` and `light` are the first colour, paler: for bars around bars. */
  color: 1 | 'soft' | 'light' | 'bad' | 'previous';
}

/** The moment of a point, in words. */
export const momentText = (iso: string, unit: TimeUnit) =>
  unit === 'day' ? formatChartDay(iso) : formatChartMoment(iso);

export const valueText = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value);
