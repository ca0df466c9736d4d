import { GERMAN_MESSAGES } from '../../../../../contract/rules/texts/german-messages.ts';
import accounts from './accounts.ts';
import consent from './consent.ts';
import messages from './messages.ts';
import pages from './pages.ts';
import service from './service.ts';

/** German. The form of address is "du". */
export const GERMAN: Readonly<Record<string, string>> = {
  ...service,
  ...accounts,
  ...consent,
  ...pages,
  ...messages,
  ...GERMAN_MESSAGES,
};
