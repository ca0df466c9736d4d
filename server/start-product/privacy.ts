import { exportFile, exportLines } from '../lib/formats/export-files.ts';
import { listUserAudit } from '../platform/audit/index.ts';
import { forgetRecipient, listUserMails } from '../platform/mail/index.ts';
import {
  type Accounts,
  assertNotLastAdministrator,
  exportAccount,
  leavingAccounts,
} from '../product/accounts/index.ts';
import { exportSpec } from '../product/agents/index.ts';
import { exportAnalytics } from '../product/analytics/index.ts';
import { hasScreenshots, removeUserScreenshots } from '../product/checks/index.ts';
import { type Credits, exportCredits, moveLedger } from '../product/credits/index.ts';
import { type Data, exportRecords, hasRecords } from '../product/data/index.ts';
import { exportImages, hasImages, removeUserImages } from '../product/features/index.ts';
import { exportForms } from '../product/forms/index.ts';
import { exportFunctions, type Functions, ownsFunctions } from '../product/functions/index.ts';
import { exportMoments } from '../product/history/index.ts';
import { exportApps } from '../product/oauth/index.ts';
import { ownsPages, type PageDirectory, type Pages, removeNames } from '../product/pages/index.ts';
import { createPrivacy, type LeavingCodes, type Privacy } from '../product/privacy/index.ts';
import { exportRepairs } from '../product/repairs/index.ts';
import { exportReports } from '../product/reports/index.ts';
import { exportTeam, forgetInvited, type Teams } from '../product/teams/index.ts';
import type { Platform } from '../start-platform.ts';
import type { BlockOwner } from './blocking.ts';

/** What exports and account deletion need of other slices: something of every one that stores something. */
interface Others {
  accounts: Accounts;
  codes: LeavingCodes;
  credits: Credits;
  directory: PageDirectory;
  data: Data;
  teams: Teams;
  pages: Pages;
  functions: Functions;
  loginsEnded(userId: number): void;
  blockOwner: BlockOwner;
}

export function startPrivacy(platform: Platform, others: Others): Privacy {
  const { db } = platform;
  const { accounts, directory, data, teams } = others;
  return createPrivacy({
    ...platform,
    accounts: { ...leavingAccounts, assertNotLastAdministrator },
    codes: others.codes,
    proveItIsYou: accounts.proveItIsYou,
    isStillLoggedIn: accounts.isStillLoggedIn,
    blockOwner: others.blockOwner,
    loginsEnded: others.loginsEnded,
    exporters: listExporters(platform, others),
    ...listRemovalSteps(platform, others),
    stored: {
      db,
      pages: directory,
      records: data.stored,
      files: teams.stored,
      listBranches: others.pages.branches.listBranches,
    },
  });
}

/** What each slice adds to an export. */
function listExporters({ db, kept, databases, baseUrl }: Platform, { pages }: Others) {
  async function* exportActivity(userId: number) {
    yield exportLines('activity.jsonl', listUserAudit(db, userId));
    const mails = await listUserMails(db, userId);
    if (mails.length > 0) yield exportFile('mail.json', mails);
  }
  return [
    (userId: number) => exportAccount(db, userId),
    (userId: number) => exportApps(db, userId),
    (userId: number) => exportCredits(db, userId),
    exportActivity,
    pages.leaving.exportFiles([
      (page, folder) => exportRecords(db, page, folder),
      (page, folder) => exportMoments(db, page, folder),
      (page, folder) => exportTeam({ db, kept }, page, folder),
      (page, folder) => exportForms({ db, kept }, page, folder),
      (page, folder) => exportSpec(db, page, folder),
      (page, folder) => exportAnalytics(db, page, folder),
      (page, folder) => exportRepairs({ db, baseUrl }, page, folder),
      (page, folder) => exportReports(db, page, folder),
    ]),
    (userId: number) => exportFunctions({ db, databases }, userId),
    (userId: number) => exportImages({ db, kept }, userId),
  ];
}

/** How each slice removes what it has of a user. Rows that refer to the user go with the user. */
function listRemovalSteps(
  platform: Platform,
  others: Others,
): Pick<Parameters<typeof createPrivacy>[0], 'steps' | 'lastSteps'> {
  const { pages, functions, credits, data, teams, accounts } = others;
  return {
    steps: [
      (userId, isStopping) => pages.leaving.removeUserData(userId, isStopping),
      (userId, isStopping) => functions.leaving.removeUserData(userId, isStopping),
      (userId) => credits.releaseHeld(userId),
      (userId) => removeUserImages(platform, userId),
      (userId) => removeUserScreenshots(platform, userId),
      (userId, isStopping) => data.stored.removeUserData(userId, isStopping),
      (userId) => teams.stored.removeUserData(userId),
    ],
    lastSteps: [
      // Bytes and files of what is left would stay behind.
      async (tx, { id }) =>
        !(
          (await ownsPages(tx, id)) ||
          (await ownsFunctions(tx, id)) ||
          (await hasImages(tx, id)) ||
          (await hasScreenshots(tx, id)) ||
          (await hasRecords(tx, id)) ||
          (await teams.stored.has(tx, id))
        ),
      async (tx, { id }) => moveLedger(tx, id),
      async (tx, { username, email }) => {
        for (const { ownerId, bytes } of await removeNames(tx, [username, email]))
          await accounts.chargeUsage(tx, ownerId, { bytes: -bytes });
        await forgetInvited(tx, email);
        await forgetRecipient(tx, email);
      },
    ],
  };
}
