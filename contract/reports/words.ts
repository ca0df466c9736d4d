import { phrase, type Text } from '../rules/texts/fill.ts';
import type { ReportReason } from './limits.ts';

/** What people can report. */
export const REASON_WORDS: Record<ReportReason, Text> = {
  scam: phrase('Scam or phishing'),
  malware: phrase('Malware'),
  illegal: phrase('Illegal content'),
  copyright: phrase('Copyright or trademark'),
  harassment: phrase('Harassment or hate'),
  'my-data': phrase('It shows my data'),
  other: phrase('Something else'),
};
