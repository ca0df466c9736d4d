import { language } from '../texts/index.ts';

/** Formats times on the function screens with a 24-hour clock, like the logs. */

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat(language, { ...options, hourCycle: 'h23' });
  return (iso: string) => formatter.format(new Date(iso));
};

export const formatMoment = format({ dateStyle: 'medium', timeStyle: 'short' });
export const formatTime = format({ timeStyle: 'medium' });
