import type { Cron } from 'croner';

/** Cron texts of five fields, and the moments that they name. */

/** How long to wait if a text names no further moment, or if its time zone no longer exists. */
const NEVER_MS = 365 * 24 * 3600 * 1000;

/** A cron text and the time zone of its fields. */
export interface CronText {
  cron: string;
  timezone: string;
}

/** The cron library, loaded when the first text is read. */
const loadCroner = () => import('croner');

/** Fails if the text or the time zone is wrong. */
export async function parseCron({ cron, timezone }: CronText): Promise<Cron> {
  const { Cron } = await loadCroner();
  return new Cron(cron, { paused: true, mode: '5-part', timezone });
}

/** The first moment after `after`, in milliseconds since 1970. */
export async function nextMoment(text: CronText, after: number): Promise<number> {
  const fallback = after + NEVER_MS;
  try {
    return (await parseCron(text)).nextRun(new Date(after))?.getTime() ?? fallback;
  } catch {
    return fallback;
  }
}
