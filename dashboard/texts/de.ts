/**
 * German. This is a script of its own, which runs before the dashboard's: it must import nothing but texts. The form of
 * address is "du"; what the product calls things is in `de/ui.ts`.
 */
import { GERMAN_MESSAGES } from '../../contract/rules/texts/german-messages.ts';
import accounts from './de/accounts.ts';
import admin from './de/admin.ts';
import adminService from './de/admin-service.ts';
import connect from './de/connect.ts';
import databases from './de/databases.ts';
import faults from './de/faults.ts';
import frame from './de/frame.ts';
import functions from './de/functions.ts';
import home from './de/home.ts';
import pagesAnalytics from './de/pages/analytics.ts';
import pagesBuilder from './de/pages/builder.ts';
import pagesData from './de/pages/data.ts';
import pagesEditor from './de/pages/editor.ts';
import pages from './de/pages/page.ts';
import pagesPeople from './de/pages/people.ts';
import pagesTemplates from './de/pages/templates.ts';
import parts from './de/parts.ts';
import ui from './de/ui.ts';

export const GERMAN: Readonly<Record<string, string>> = {
  ...ui,
  ...faults,
  ...parts,
  ...frame,
  ...home,
  ...pages,
  ...pagesEditor,
  ...pagesData,
  ...pagesBuilder,
  ...pagesAnalytics,
  ...pagesPeople,
  ...pagesTemplates,
  ...functions,
  ...databases,
  ...accounts,
  ...connect,
  ...admin,
  ...adminService,
};

Object.assign(globalThis, { quireTexts: GERMAN, quireMessages: GERMAN_MESSAGES });
