/** The screens of branches, in the address after the page. */

/** All branches of a page. */
export const BRANCHES = 'branches';
/** What a branch has of its own: functions, secrets and mail. */
export const BRANCH = 'branch';
