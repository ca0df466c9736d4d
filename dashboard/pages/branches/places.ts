/** The screens of branches, in the address after the page. */

/** All branches of a page. */
export const BRANCHES = 'branches';
/** What a branch has of its own: functions, secrets and mail. */
export const BRANCH = 'branch';
/** What differs between a branch and its page. */
export const CHANGES = 'changes';
/** Brings a branch to its page, or the page's changes to the branch. */
export const MERGE = 'merge';
export const UPDATE = 'update';
/** The screens that only branches have. */
const OF_BRANCHES = [BRANCHES, BRANCH, CHANGES, MERGE, UPDATE];
export const isOfBranches = (part: string): boolean => OF_BRANCHES.includes(part);
