import type { Said } from '../../../../contract/pages/branches/changes.ts';
import type { MergeNumbers } from '../../../../contract/pages/branches/merge.ts';
import { ENGLISH, phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import type { AppError } from '../../../lib/errors.ts';

/** What people read about a merge: in English, with what is needed to translate it. */

export const toSaid = ({ text, values = {} }: Text): Said => ({
  text: ENGLISH.say(text, values),
  sentence: text,
  values,
});

/** The message of an error as a sentence among others. */
export const saidError = ({ message }: AppError | Error): Said =>
  toSaid(phrase('{message}', { message: message.slice(0, 300).toWellFormed() }));

/** What changes, one sentence for each kind. */
export function sayNumbers(numbers: MergeNumbers): Said[] {
  const { files, settings, functions, collections, records, tables, rows } = numbers;
  const said: Array<Text | false> = [
    files > 0 && phrase('{count|1 file changes|{count} files change}.', { count: files }),
    settings > 0 && phrase('{count|1 setting changes|{count} settings change}.', { count: settings }),
    functions > 0 &&
      phrase('{count|1 function gets|{count} functions get} other code, or other settings.', {
        count: functions,
      }),
    collections > 0 &&
      phrase('{count|1 collection gets|{count} collections get} another schema or other rules.', {
        count: collections,
      }),
    records.created > 0 &&
      phrase('{count|1 record is|{count} records are} added.', { count: records.created }),
    records.updated > 0 &&
      phrase('{count|1 record changes|{count} records change}.', { count: records.updated }),
    records.deleted > 0 &&
      phrase('{count|1 record is|{count} records are} deleted.', { count: records.deleted }),
    tables > 0 && phrase('{count|1 table gets|{count} tables get} another schema.', { count: tables }),
    rows.created > 0 && phrase('{count|1 row is|{count} rows are} added to tables.', { count: rows.created }),
    rows.updated > 0 &&
      phrase('{count|1 row of tables changes|{count} rows of tables change}.', { count: rows.updated }),
    rows.deleted > 0 &&
      phrase('{count|1 row is|{count} rows are} deleted from tables.', { count: rows.deleted }),
  ];
  const sentences = said.filter((each) => each !== false).map(toSaid);
  return sentences.length > 0 ? sentences : [toSaid(phrase('Nothing changes.'))];
}

export const NO_RECORDS = phrase(
  'Records and rows are not compared, because the branch was made without the data of the page.',
);
export const LOST_RECORDS = phrase(
  'Records are not compared, because what they were at the base is no longer kept.',
);
export const SOLO_RECORDS = phrase('Private records of visitors belong to them, and are not compared.');
export const UNTRIED = phrase(
  'The result was not opened in a browser, because none was free on this server: look at it yourself.',
);
export const NOT_ASKED = phrase('Records stay as they are on both sides, unless you choose to merge them.');
export const NO_ROWS = phrase(
  'Rows of tables are not compared, because the branch was made without the data of the page.',
);
export const NOT_ASKED_ROWS = phrase(
  'Rows of tables stay as they are on both sides, unless you choose their tables.',
);
