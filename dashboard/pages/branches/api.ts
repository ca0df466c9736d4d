import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import type { Branch, BranchData, BranchList, Outbox } from '../../../contract/pages/branches/branches.ts';
import { call } from '../../api.ts';

/** The endpoints of branches. A branch is named by the id of its page, the main one, and its name. */

export type { Branch, BranchData, BranchList };

/** A branch to make: from the last moment at or before a time, or from the page as it is. */
interface NewBranch {
  name: string;
  at?: string;
  data: BranchData;
}

export type Mail = Outbox['mails'][number];

export const listBranches = (id: number, signal?: AbortSignal) =>
  call(branchEndpoints.listBranches, { params: { id }, signal });

export const createBranch = (id: number, body: NewBranch) =>
  call(branchEndpoints.createBranch, { params: { id }, body });

export const renameBranch = (id: number, name: string, next: string) =>
  call(branchEndpoints.updateBranch, { params: { id, name }, body: { name: next } });

/** Counts as use, so that the branch is not deleted. */
export const keepBranch = (id: number, name: string) =>
  call(branchEndpoints.updateBranch, { params: { id, name }, body: {} });

export const deleteBranch = (id: number, name: string) =>
  call(branchEndpoints.deleteBranch, { params: { id, name } });

export const readOutbox = async (id: number, name: string, signal?: AbortSignal) =>
  (await call(branchEndpoints.readOutbox, { params: { id, name }, signal })).mails;

export const listSecrets = async (slug: string, signal?: AbortSignal) =>
  (await call(functionEndpoints.listSecrets, { params: { slug }, signal })).secrets.map(({ name }) => name);
