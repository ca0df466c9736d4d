import type { GrantableRole } from '../../../contract/roles.ts';

/**
 * Every mail that the service sends; `texts.ts` has the text. Links are absolute URLs, and times are in
 * milliseconds. Names, reasons and notes can be passed exactly as people wrote them.
 */
export type MailMessage =
  | { kind: 'password reset'; username: string; link: string }
  | { kind: 'confirm address'; username: string; link: string }
  | { kind: 'registration invite'; invitedBy: string; note?: string; link: string; expiresAt: number }
  | {
      kind: 'team invite';
      invitedBy: string;
      pageName: string;
      role: GrantableRole;
      link: string;
      expiresAt: number;
    }
  | { kind: 'page shared'; sharedBy: string; pageName: string; link: string }
  | FormMessages
  | ReportNotice
  | SecurityNotice
  | AdministratorNotice
  /** Goes to administrators, once until a backup succeeds. */
  | { kind: 'backup failed'; at: number; problem: string; nextAt: number; link: string }
  | {
      kind: 'storage almost full';
      username: string;
      percent: number;
      bytes: number;
      quota: number;
      link: string;
    }
  /** `link` leads to the branch, which says how to keep it. */
  | { kind: 'branch unused'; pageName: string; branchName: string; deletedAt: number; link: string }
  /** `link` leads to the screen where the person can keep the account. */
  | { kind: 'deletion requested'; username: string; deletedAt: number; link: string }
  /** Pass no `userId` with this one: mail about a user is deleted with them. */
  | { kind: 'account deleted'; username: string }
  | FunctionMail
  | { kind: 'test' };

/** What a function of a page writes. */
export interface FunctionMail {
  kind: 'function mail';
  pageName: string;
  subject: string;
  text: string;
  html?: string;
}

/** Visitors have reported a page: to administrators, and to its owner. What they wrote is not in it. */
export interface ReportNotice {
  kind: 'page reported' | 'your page reported';
  pageName: string;
  /** What the first report is about, in our words. */
  about: string;
  count: number;
  link: string;
}

/** What visitors sent with the forms of a page. */
export interface FormMessages {
  kind: 'form messages';
  pageName: string;
  /** How many messages came. `messages` has only the first ones. */
  count: number;
  messages: FormExcerpt[];
  link: string;
}

export interface FormExcerpt {
  form: string;
  /** Names and values, shortened. */
  fields: Array<[string, string]>;
  files: number;
}

/** Something that only the person themselves should have done. `link` leads to the screen where they can undo it. */
type SecurityNotice = { username: string; at: number; address?: string; link: string } & (
  | { kind: 'new sign-in'; device: string; method?: string }
  | { kind: 'new token'; tokenName: string; scopes: string[] }
  | { kind: 'app connected'; appName: string; scopes: string[] }
  | { kind: 'password changed' }
  /** Goes to the old address. */
  | { kind: 'email changed'; newEmail: string }
  | { kind: 'passkey added' | 'passkey removed'; passkeyName: string }
  | { kind: 'single sign-on connected' | 'single sign-on disconnected'; provider: string }
  | { kind: 'second factor off' }
);

/** Something that an administrator did. */
type AdministratorNotice =
  | { kind: 'account suspended'; username: string; reason: string }
  | { kind: 'account restored'; username: string; link: string }
  | { kind: 'page taken down' | 'function taken down'; name: string; reason: string; link: string }
  | { kind: 'page restored' | 'function restored'; name: string; link: string };
