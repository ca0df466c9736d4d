import type { Fault } from '../../../../contract/errors.ts';
import { fault, sayFaults, toFault } from '../../../../contract/errors.ts';
import type { NewSchedule } from '../../../../contract/functions/schedules.ts';
import { phrase, type Sentence } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { parseCron } from '../../../lib/formats/cron.ts';

/** Checks the cron texts of schedules. */

/** Fails if a cron text or a time zone is wrong, or if a cron text never names a moment. */
export async function assertSchedules(schedules: readonly NewSchedule[], now: number): Promise<void> {
  const faults: Fault[] = [];
  for (const [index, schedule] of schedules.entries()) {
    // A text that never names a moment takes milliseconds, and a request can have ten of them.
    await new Promise(setImmediate);
    const fault = await findFault(schedule, now);
    if (fault) faults.push({ ...fault, path: `schedules.${index}.${fault.path}` });
  }
  const [first] = faults;
  if (first)
    throw new AppError('BAD_REQUEST', '{message}', { message: sayFaults([first]) }, { details: faults });
}

async function findFault(schedule: NewSchedule, now: number): Promise<Fault | undefined> {
  if (!isTimezone(schedule.timezone)) {
    return fault('timezone', 'there is no time zone {name}. Use an IANA name, such as Europe/Berlin', {
      name: schedule.timezone,
    });
  }
  try {
    if ((await parseCron(schedule)).nextRun(new Date(now))) return undefined;
    return fault('cron', 'never happens: there is no such day');
  } catch {
    return toFault('cron', await explain(schedule.cron));
  }
}

/** The fields of a cron text, and the values that each can have. */
const FIELDS = [
  [phrase('minute'), phrase('numbers from 0 to 59')],
  [phrase('hour'), phrase('numbers from 0 to 23')],
  [phrase('day of the month'), phrase('numbers from 1 to 31, L for the last day')],
  [phrase('month'), phrase('numbers from 1 to 12, names such as JAN')],
  [phrase('day of the week'), phrase('numbers from 0 to 7, names such as MON')],
] as const;

/** Says which field is wrong, and which values it can have. */
async function explain(cron: string): Promise<Sentence> {
  const given = cron.split(' ');
  for (const [index, [name, values]] of FIELDS.entries()) {
    const alone = FIELDS.map((_, at) => (at === index ? given[at] : '*')).join(' ');
    const isWrong = await parseCron({ cron: alone, timezone: 'UTC' }).then(
      () => false,
      () => true,
    );
    if (isWrong)
      return phrase(
        '{given} is not a valid {field}. Use *, {values}, ranges (1-5), lists (1,5) or steps (*/5)',
        { given: given[index] ?? '', field: name, values },
      );
  }
  return phrase('is not a valid cron text');
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
