/**
 * Days of the week in cron texts. Workers count from 1 (Sunday) to 7 (Saturday), Quire from 0 (Sunday) to 7 (Sunday, too).
 * Names mean the same for both.
 */
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A cron text of a Worker as Quire reads it. */
export const fromWorkerCron = (cron: string) => nameDays(cron, 1);

/** A cron text of Quire as Workers read it. */
export const toWorkerCron = (cron: string) => nameDays(cron, 0);

function nameDays(cron: string, sunday: number): string {
  const fields = cron.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || weekday === undefined) return cron;
  const named = weekday.split(',').map((item) => nameItem(item, sunday));
  return [minute, hour, day, month, named.join(',')].join(' ');
}

/** One item of a list: a day or a range of days, such as `1-5` or `1-5/2`. Others stay as they are. */
function nameItem(item: string, sunday: number): string {
  const [, from, to, step] = /^([0-7])(?:-([0-7])(?:\/(\d))?)?$/.exec(item) ?? [];
  if (from === undefined || Number(from) < sunday) return item;
  const name = (day: number) => DAYS[(day - sunday + 7) % 7] ?? '';
  const [first, last, every] = [Number(from), Number(to ?? from), Number(step ?? 1)];
  const days: string[] = [];
  for (let day = first; day <= last && every > 0; day += every) days.push(name(day));
  const isInOrder = every === 1 && days.length > 2 && last - sunday < 7;
  return isInOrder ? `${name(first)}-${name(last)}` : days.join(',') || item;
}
