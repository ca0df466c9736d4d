/** Formats values for the screen, in the language of the person. */
import { language, t } from '../texts/index.ts';

const number = new Intl.NumberFormat(language);
/** With a 24-hour clock, like logs and charts. */
const moment = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});
const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

const UNITS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const formatNumber = (value: number) => number.format(value);

const amount = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const LEAST = 0.01;

/** Credits with at most two decimals. An amount too small for that is shown as `<0.01`, not as 0. */
export const formatCredits = (credits: number) =>
  credits > 0 && credits < LEAST ? `<${amount.format(LEAST)}` : amount.format(credits);

export const formatMoment = (iso: string) => moment.format(new Date(iso));
/** `Nov 16, 2026`. */
export const formatDate = (iso: string) => date.format(new Date(iso));

/** `3 hours ago`. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return t('just now');
}

const size = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** `64 KB`, `1.4 MB`: one kilobyte is 1,024 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return t('1 byte');
  const units = [t('bytes'), 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  // 1023.95 would be rounded to 1,024 of the smaller unit.
  while (value >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${size.format(value >= 100 ? Math.round(value) : value)} ${units[unit]}`;
}

/** `1 page`, `2 pages`. */
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
export const formatPercent = (share: number) => percent.format(share);

const wholePercent = new Intl.NumberFormat(language, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
/** `+12%`, `-3%`. */
export const formatChange = (share: number) => wholePercent.format(share);

const makeUnitFormat = (unit: string, digits: number) =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  });
const milliseconds = makeUnitFormat('millisecond', 0);
const seconds = makeUnitFormat('second', 1);

/** `250 ms`, `1.5 sec`. */
export const formatDuration = (ms: number) =>
  ms < 1000 ? milliseconds.format(ms) : seconds.format(ms / 1000);

const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const momentInChart = new Intl.DateTimeFormat(language, {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});
const dayInChart = { month: 'short', day: 'numeric' } as const;
const days = {
  UTC: new Intl.DateTimeFormat(language, { ...dayInChart, timeZone: 'UTC' }),
  local: new Intl.DateTimeFormat(language, dayInChart),
};
/** `14:00`. */
export const formatChartTime = (iso: string) => time.format(new Date(iso));
/** `Nov 16, 14:00`. */
export const formatChartMoment = (iso: string) => momentInChart.format(new Date(iso));
/** `Nov 16`. Statistics count days in UTC. */
export const formatChartDay = (iso: string, zone: keyof typeof days = 'UTC') =>
  days[zone].format(new Date(iso));
