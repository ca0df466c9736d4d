import { endpoint, endpoints } from '../../endpoint.ts';
import { Done, idParams } from '../../fields.ts';
import { MAX_BRANCHES } from '../../rules/limits.ts';
import { Branch, BranchList, branchParams, CreateBranch, Outbox, PatchBranch } from './branches.ts';
import { BranchChanges, ChangesQuery } from './changes.ts';
import { MergeBranch, Merged, UpdateFromMain } from './merge.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const BRANCH = '/api/pages/:id/branches/:name';

export const branchEndpoints = endpoints({
  listBranches: endpoint({
    method: 'GET',
    path: '/api/pages/:id/branches',
    access: READ,
    summary: 'List the branches of a page',
    params: idParams,
    response: BranchList,
  }),
  createBranch: endpoint({
    method: 'POST',
    path: '/api/pages/:id/branches',
    failures: ['CONFLICT', 'QUOTA_EXCEEDED', 'INSUFFICIENT_SCOPE', 'UNAVAILABLE'],
    access: WRITE,
    changes: 'nothing',
    summary: `Copy a page with its functions, databases and records, to try changes on the copy; at most ${MAX_BRANCHES} for a page`,
    params: idParams,
    body: CreateBranch,
    status: 201,
    response: Branch,
  }),
  getBranch: endpoint({
    method: 'GET',
    path: BRANCH,
    access: READ,
    summary: 'Read a branch of a page',
    params: branchParams,
    response: Branch,
  }),
  updateBranch: endpoint({
    method: 'PATCH',
    path: BRANCH,
    failures: ['CONFLICT'],
    access: WRITE,
    changes: 'nothing',
    summary: 'Rename a branch, change who can see it, or keep it although nobody uses it',
    params: branchParams,
    body: PatchBranch,
    response: Branch,
  }),
  deleteBranch: endpoint({
    method: 'DELETE',
    path: BRANCH,
    access: WRITE,
    changes: 'nothing',
    summary: 'Delete a branch with its functions, databases and records',
    params: branchParams,
    response: Done,
  }),
  listBranchChanges: endpoint({
    method: 'GET',
    path: `${BRANCH}/changes`,
    access: READ,
    failures: ['CONFLICT', 'INSUFFICIENT_SCOPE', 'UNAVAILABLE'],
    summary: 'List what differs between a branch and its page, with what conflicts',
    params: branchParams,
    query: ChangesQuery,
    response: BranchChanges,
  }),
  updateFromMain: endpoint({
    method: 'POST',
    path: `${BRANCH}/update`,
    failures: ['CONFLICT', 'QUOTA_EXCEEDED', 'INSUFFICIENT_SCOPE', 'DEPLOY_FAILED', 'UNAVAILABLE'],
    access: WRITE,
    changes: 'nothing',
    summary: 'Bring the changes of a page to one of its branches; nothing changes if some conflict',
    params: branchParams,
    body: UpdateFromMain,
    bodyOptional: true,
    response: Merged,
  }),
  mergeBranch: endpoint({
    method: 'POST',
    path: `${BRANCH}/merge`,
    failures: [
      'CONFLICT',
      'QUOTA_EXCEEDED',
      'INSUFFICIENT_SCOPE',
      'FORBIDDEN',
      'DEPLOY_FAILED',
      'UNAVAILABLE',
    ],
    access: WRITE,
    summary:
      'Bring the changes of a branch to its page, in one step that can be undone; into a protected page only people can, and dry_run can everyone',
    params: branchParams,
    body: MergeBranch,
    bodyOptional: true,
    response: Merged,
  }),
  readOutbox: endpoint({
    method: 'GET',
    path: `${BRANCH}/outbox`,
    access: READ,
    summary: 'Read the mail that functions of a branch would have sent',
    params: branchParams,
    response: Outbox,
  }),
});
