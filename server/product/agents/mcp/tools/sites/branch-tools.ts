import { branchEndpoints } from '../../../../../../contract/pages/branches/branch-endpoints.ts';
import { type Definition, tool } from '../definition.ts';

/** Tools for branches: copies of pages, to try changes on. */
export const branchTools: Definition[] = [
  tool(branchEndpoints.createBranch, {
    group: 'pages',
    name: 'create_branch',
    title: 'Make a branch',
    description:
      'Copies a page with its functions and data to a page with an id of its own, to try changes on.',
    effect: 'write',
    slow: 'Making the branch',
    source: 'a branch, with names that people chose',
    input: { id: { type: 'integer' }, name: '', data: '', at: '' },
  }),
];
