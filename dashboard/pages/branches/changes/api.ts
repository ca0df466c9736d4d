import { branchEndpoints } from '../../../../contract/pages/branches/branch-endpoints.ts';
import type {
  BranchChanges,
  Change,
  ChangeGroup,
  ChangeKind,
  Said,
} from '../../../../contract/pages/branches/changes.ts';
import { call } from '../../../api.ts';
import type { Branch } from '../api.ts';

/** The endpoint that compares a branch with its page. */

export type { BranchChanges, Change, ChangeGroup, ChangeKind, Said };

/** What to list. */
export interface Wanted {
  side?: 'branch' | 'main' | 'conflicts';
  kind?: ChangeKind;
  path?: string;
  after?: string;
}

export const listChanges = (
  { of, name }: Branch,
  wanted: Wanted,
  signal?: AbortSignal,
): Promise<BranchChanges> =>
  call(branchEndpoints.listBranchChanges, { params: { id: of, name }, query: wanted, signal });

/** One change with its whole texts. */
export const readChange = async (branch: Branch, { path }: Change, signal?: AbortSignal) =>
  (await listChanges(branch, { path }, signal)).changes.find((change) => change.path === path);
