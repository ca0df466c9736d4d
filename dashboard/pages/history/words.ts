import { language, t, translated } from '../../texts/index.ts';
import type { IconName } from '../../ui/index.ts';
import type { Moment, RestoreChanges } from './api.ts';

/** What people read about moments. */

type Cause = Moment['causes'][number];

const ICONS: Record<Cause['kind'], IconName> = {
  page: 'page',
  settings: 'settings',
  functions: 'function',
  records: 'rows',
  databases: 'database',
  named: 'star',
  restore: 'undo',
  deploy: 'function',
  delete: 'trash',
  import: 'upload',
  schema: 'form',
  agent: 'sparkle',
  branch: 'page',
  merge: 'page',
};

export const chooseIcon = ({ name, causes: [first] }: Moment): IconName =>
  name !== undefined ? 'star' : first ? ICONS[first.kind] : 'clock';

export const sayCause = ({ sentence, values }: Cause): string => translated({ text: sentence, values });

/** What a moment is called in one line. */
export const sayMoment = ({ name, causes: [first] }: Moment): string =>
  name ?? (first ? sayCause(first) : t('The first state that was kept.'));

/** What else happened before it: its name says what it was kept as. */
export const listOthers = ({ name, causes }: Moment): string[] =>
  name === undefined
    ? causes.slice(1).map(sayCause)
    : causes.filter(({ kind }) => kind !== 'named').map(sayCause);

/** Who it was, if it is known: each person once. */
export const listPeople = ({ causes }: Moment): string =>
  [...new Set(causes.flatMap(({ by }) => by ?? []))].join(', ');

const PUBLISHED = new Set<Cause['kind']>(['page', 'functions', 'deploy', 'delete', 'restore', 'import']);

export type Filter = 'all' | 'published' | 'named';

export const passes = (filter: Filter, { name, causes }: Moment): boolean =>
  filter === 'all' ||
  name !== undefined ||
  (filter === 'published' && causes.some(({ kind }) => PUBLISHED.has(kind)));

const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
const exact = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

export const formatClock = (at: string) => clock.format(new Date(at));
/** With its seconds: several moments can be in one minute. */
export const formatExact = (at: string) => exact.format(new Date(at));

const DAY_MS = 24 * 3600 * 1000;
const startOfDay = (at: number | string) => new Date(at).setHours(0, 0, 0, 0);

/** `Today`, `Yesterday`, or the date. */
export function formatDay(at: string, now = Date.now()): string {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / DAY_MS);
  if (days < -1) return day.format(new Date(at));
  const said = relative.format(days, 'day');
  return said.charAt(0).toLocaleUpperCase(language) + said.slice(1);
}

/** Moments by their day, in their order. */
export function groupByDay(moments: readonly Moment[]): Array<{ day: string; moments: Moment[] }> {
  const groups: Array<{ start: number; day: string; moments: Moment[] }> = [];
  for (const moment of moments) {
    const start = startOfDay(moment.at);
    const last = groups.at(-1);
    if (last?.start === start) last.moments.push(moment);
    else groups.push({ start, day: formatDay(moment.at), moments: [moment] });
  }
  return groups;
}

type Numbers = Pick<RestoreChanges, 'created' | 'updated' | 'deleted'>;

/** What happens to records, in words. */
export const sayRecords = ({ created, updated, deleted }: Numbers): string =>
  [
    created > 0 && t('{count|1 comes back|{count} come back}', { count: created }),
    updated > 0 &&
      t('{count|1 gets its earlier data back|{count} get their earlier data back}', { count: updated }),
    deleted > 0 && t('{count|1 newer one is deleted|{count} newer ones are deleted}', { count: deleted }),
  ]
    .filter((part) => part !== false)
    .join(', ');

/** Which databases go back, and those of an earlier time than the moment. */
export function sayDatabases({ databases, database_times = {} }: RestoreChanges): string {
  if (databases.length === 0) return '';
  const old = Object.entries(database_times).map(([name, time]) =>
    t('{name}: as of {time}', { name, time: formatExact(time) }),
  );
  return [t('All tables of {names}', { names: databases.join(', ') }), ...old].join('. ');
}

/** What a restore has changed, in one line. */
export function sayChanges({
  page_version,
  settings,
  functions,
  databases,
  records,
}: RestoreChanges): string {
  const said = [
    page_version !== undefined && t('the page, as version {version}', { version: String(page_version) }),
    page_version === undefined && settings && t('settings of the page'),
    functions.length > 0 && t('{count|1 function|{count} functions}', { count: functions.length }),
    databases.length > 0 && t('{count|1 database|{count} databases}', { count: databases.length }),
    records > 0 && t('{count|1 record|{count} records}', { count: records }),
  ].filter((part) => part !== false);
  return said.join(', ');
}
