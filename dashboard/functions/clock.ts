import { language } from '../texts/index.ts';

const time = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });

/** `14:00:09`, as in the logs. */
export const formatTime = (iso: string) => time.format(new Date(iso));
