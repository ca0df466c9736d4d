import cronstrue from 'cronstrue';
import 'cronstrue/locales/de';
import { language } from '../../texts/index.ts';

/** What a cron text means, in the language of the person. Undefined if it means nothing. */
export function sayCron(cron: string, locale: string = language): string | undefined {
  // It also reads texts with seconds and years, which schedules do not have.
  if (cron.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return cronstrue.toString(cron, { locale, use24HourTimeFormat: true, verbose: true });
  } catch {
    return undefined;
  }
}
