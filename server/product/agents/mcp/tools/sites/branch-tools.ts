import { branchEndpoints } from '../../../../../../contract/pages/branches/branch-endpoints.ts';
import type { BranchList, Outbox } from '../../../../../../contract/pages/branches/branches.ts';
import type { BranchChanges, Change, Said } from '../../../../../../contract/pages/branches/changes.ts';
import type { Merged } from '../../../../../../contract/pages/branches/merge.ts';
import { type Definition, type Input, type Outcome, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer' } };
const BRANCH = { ...PAGE, name: '' };
const TAKE = {
  type: 'array',
  description: '{"path","from":"branch"|"main"} for each conflict',
};
const SOURCE = 'a branch, with names that people chose';
const CONTENT = 'a branch and its page, which others may have written';

/** Tools for branches: copies of pages, to try changes on. */
export const branchTools: Definition[] = [
  tool(branchEndpoints.createBranch, {
    group: 'pages',
    name: 'create_branch',
    title: 'Make a branch',
    description:
      'Copies a page with its functions and data to a page with an id of its own (page.id), to try changes on.',
    effect: 'write',
    slow: 'Making the branch',
    source: SOURCE,
    input: { ...PAGE, name: '', data: '', at: '' },
  }),
  tool(branchEndpoints.listBranches, {
    group: 'pages',
    name: 'list_branches',
    title: 'List branches',
    description:
      'Lists the branches of a page. With name, what this one and its page changed, and what conflicts; with path, in full; with mail=true, what its functions would have sent.',
    effect: 'read',
    source: CONTENT,
    shape: showChanges,
    also: [
      { given: 'mail', is: true, endpoint: branchEndpoints.readOutbox },
      { given: 'name', endpoint: branchEndpoints.listBranchChanges },
    ],
    adds: ['name', 'mail', 'side', 'kind', 'path', 'after', 'limit'],
    hidden: ['kind', 'limit'],
    input: { ...BRANCH, side: '', path: '', after: '', mail: { type: 'boolean' } },
  }),
  {
    ...tool(branchEndpoints.updateFromMain, {
      group: 'pages',
      name: 'update_branch',
      title: 'Update a branch',
      description: 'Brings what its page has changed to a branch.',
      effect: 'write',
      slow: 'Updating the branch',
      source: CONTENT,
      input: { ...BRANCH, take: TAKE, dry_run: '' },
    }),
    work: {
      async run({ id, name, ...json }, api) {
        const response = await api.request(branchEndpoints.updateFromMain, { params: { id, name }, json });
        return showResult(response);
      },
    },
  },
  {
    ...tool(branchEndpoints.mergeBranch, {
      group: 'pages',
      name: 'merge_branch',
      title: 'Merge a branch',
      description:
        'Brings what a branch changes to its page; undo takes it back. With dry_run=true, only says what would change and conflict. A protected page needs a person, at merge_url.',
      effect: 'write',
      slow: 'Merging the branch',
      source: CONTENT,
      // What went wrong on a copy, and whether tables are removed, is for a person to decide.
      hidden: ['confirm'],
      input: {
        ...BRANCH,
        take: TAKE,
        records: '',
        tables: { type: 'array', description: 'Rows of these' },
        dry_run: '',
      },
    }),
    work: {
      async run({ id, name, ...json }, api) {
        return showResult(await api.request(branchEndpoints.mergeBranch, { params: { id, name }, json }));
      },
    },
  },
  tool(branchEndpoints.deleteBranch, {
    group: 'pages',
    name: 'delete_branch',
    title: 'Delete a branch',
    description: 'Permanently deletes a branch with its functions and data.',
    effect: 'destructive',
    input: BRANCH,
  }),
];

/** A list says where changes are. Their contents are shown for the path that an agent asks for. */
function showChanges(data: BranchList | Outbox | BranchChanges, { path }: Input) {
  if (!('changes' in data)) return data;
  const { changes, groups, left_out, ...rest } = data;
  return {
    ...rest,
    groups,
    changes: path === undefined ? changes.map(toLine) : changes,
    left_out: say(left_out),
  };
}

function toLine({ path, action, side, conflict, needs_confirm, fields = [] }: Change) {
  return {
    ...{ path, action, side, conflict },
    ...(needs_confirm && { needs_confirm }),
    ...(fields.length > 0 && { fields: fields.map(({ name }) => name) }),
  };
}

/** Once, and in English: agents do not translate. */
const say = (said: readonly Said[]) => said.map(({ text }) => text);

function showMerged(merged: Merged) {
  const { conflicts, summary, problems, left_out, ...rest } = merged;
  return {
    ...rest,
    summary: say(summary),
    conflicts: conflicts.map(toLine),
    problems: say(problems),
    left_out: say(left_out),
  };
}

/** What was merged, or a refusal that lists conflicts without their contents. */
async function showResult(response: Response): Promise<Response | Outcome> {
  if (response.ok) return { data: showMerged((await response.json()) as Merged) };
  const body = (await response.json()) as { conflicts?: Change[] };
  const { status } = response;
  return Response.json(
    { ...body, ...(body.conflicts && { conflicts: body.conflicts.map(toLine) }) },
    { status },
  );
}
