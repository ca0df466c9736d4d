import { t } from '../../texts/index.ts';
import type { BranchData } from './api.ts';

/** What people read about branches. */

/** What a branch has of the records and databases of its page, and what that means. */
export const DATA_WORDS: Record<BranchData, { title: string; about: string; short: string }> = {
  all: {
    title: t('Everything'),
    about: t('All records and tables as they are, with real names. Of private records, only your own.'),
    short: t('with all records'),
  },
  masked: {
    title: t('With other names and texts'),
    about: t(
      'As many records and tables, but names, addresses and texts are replaced with invented ones. Numbers and dates stay. Good if somebody else is to try it.',
    ),
    short: t('with other names and texts'),
  },
  schema: {
    title: t('Empty'),
    about: t('The same collections and tables, without anything in them.'),
    short: t('without records'),
  },
};

/** What a branch can be called, from what somebody types. */
export const toBranchName = (typed: string): string =>
  typed
    .normalize('NFKD')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[\s_.]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/^-+/, '');
