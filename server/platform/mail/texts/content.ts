import type { GrantableRole } from '../../../../contract/roles.ts';
import { UNUSED_BRANCH_DAYS } from '../../../../contract/rules/limits.ts';
import type { MailText } from '../layout.ts';
import { formMessages } from './form-messages.ts';
import { facts, moment, name, reasonText, type Texts } from './parts.ts';

const TEAM_ROLES: Record<GrantableRole, string> = {
  admin: 'As an admin, you can edit the page and all its data, and invite others.',
  member: 'As a member, you can read everything, add records and files, and edit your own.',
  viewer: 'As a viewer, you can read records and download files.',
};

/** Mails about pages and functions. */
export const CONTENT_TEXTS = {
  'page shared': ({ sharedBy, pageName, link }) => ({
    subject: `${name(sharedBy)} shared “${name(pageName)}” with you`,
    blocks: [
      { text: `${name(sharedBy)} shared the page “${name(pageName)}” with you.` },
      { action: 'Open the page', link },
      { text: 'To see it, log in with an account that has this address, or create one.' },
      { text: 'If you do not know the sender, ignore this mail.' },
    ],
  }),

  'team invite': ({ invitedBy, pageName, role, link, expiresAt }) => ({
    subject: `${name(invitedBy)} invites you to the team of “${name(pageName)}”`,
    blocks: [
      { text: `${name(invitedBy)} invites you to the team of the page “${name(pageName)}”.` },
      { text: TEAM_ROLES[role] },
      { action: 'Join the team', link },
      {
        text: `To join, log in or create an account. The invite expires on ${moment(expiresAt)}. If you do not know the sender, ignore this mail.`,
      },
    ],
  }),

  'function mail': ({ pageName, subject, text, html }) => ({
    subject,
    blocks: [{ letter: text }, { text: `A function of the page “${name(pageName)}” sent this mail.` }],
    ...(html !== undefined && { html }),
  }),

  'form messages': formMessages,

  'page reported': ({ pageName, about, count, link }) => ({
    subject:
      count === 1 ? `“${name(pageName)}” was reported` : `“${name(pageName)}” was reported ${count} times`,
    blocks: [
      {
        text:
          count === 1
            ? `A visitor has reported the page “${name(pageName)}”.`
            : `Visitors have reported the page “${name(pageName)}” ${count} times.`,
      },
      facts({ About: about }),
      { action: 'See the reports', link },
      { text: 'A picture of the page is there. You need not open the page.' },
    ],
  }),

  'your page reported': ({ pageName, about, count, link }) => ({
    subject: `Your page “${name(pageName)}” was reported`,
    blocks: [
      {
        text:
          count === 1
            ? `A visitor has reported your page “${name(pageName)}” to the administrators of this server.`
            : `Visitors have reported your page “${name(pageName)}” to the administrators of this server ${count} times.`,
      },
      facts({ About: about }),
      { text: 'You can answer: the administrators read that before they decide.' },
      { action: 'See the reports', link },
    ],
  }),
  'branch unused': ({ pageName, branchName, deletedAt, link }) => ({
    subject: `The branch “${name(branchName)}” will be deleted`,
    blocks: [
      {
        text: `Nobody has visited or changed the branch “${name(branchName)}” of your page “${name(pageName)}” for ${UNUSED_BRANCH_DAYS} days. It will be deleted on ${moment(deletedAt)}. The page itself stays as it is.`,
      },
      { text: 'To keep the branch, choose Keep it there, or use it before then:' },
      { action: 'See the branch', link },
    ],
  }),
  'page taken down': (message) => takenDown('page', message),
  'function taken down': (message) => takenDown('function', message),
  'page restored': (message) => restored('page', message),
  'function restored': (message) => restored('function', message),
} satisfies Partial<Texts>;

function takenDown(
  what: string,
  { name: title, reason, link }: { name: string; reason: string; link: string },
): MailText {
  return {
    subject: `Your ${what} “${name(title)}” was taken down`,
    blocks: [
      { text: `An administrator has taken down your ${what} “${name(title)}”. Nobody can use it now.` },
      facts({ Reason: reasonText(reason) }),
      { action: `See the ${what}`, link },
      { text: 'If you think that this is a mistake, contact the people who run this service.' },
    ],
  };
}

function restored(what: string, { name: title, link }: { name: string; link: string }): MailText {
  return {
    subject: `Your ${what} “${name(title)}” works again`,
    blocks: [
      { text: `An administrator has restored your ${what} “${name(title)}”.` },
      { action: `See the ${what}`, link },
    ],
  };
}
