import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { type Definition, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer' } };
const DRAFT = { ...PAGE, draft: { type: 'integer' } };

/** Tools for drafts: what is saved beside a page, and not published yet. */
export const draftTools: Definition[] = [
  tool(draftEndpoints.listDrafts, {
    group: 'pages',
    name: 'list_drafts',
    title: 'List drafts',
    description: 'Lists the drafts of a page, last saved first, with the version that is published.',
    effect: 'read',
    source: 'notes and names that people wrote',
    input: PAGE,
  }),
  tool(draftEndpoints.createDraft, {
    group: 'pages',
    name: 'save_draft',
    title: 'Save a draft',
    description:
      'Saves HTML beside a page, unseen by visitors, with the files of the page; with draft, saves that one again. With revision, fails if someone else has saved it.',
    effect: 'write',
    source: 'a draft and what Quire noticed in it, which can quote it',
    also: [{ given: 'draft', endpoint: draftEndpoints.updateDraft }],
    adds: ['draft', 'revision'],
    input: { ...DRAFT, html_content: '', note: '', base_version: '', revision: { type: 'integer' } },
  }),
  tool(draftEndpoints.publishDraft, {
    group: 'pages',
    name: 'publish_draft',
    title: 'Publish a draft',
    description:
      'Makes a draft the next version of its page. Fails if the page has changed since the draft was started, unless base_version is the current version.',
    effect: 'write',
    input: { ...DRAFT, note: '', base_version: '', revision: '' },
  }),
  tool(draftEndpoints.deleteDraft, {
    group: 'pages',
    name: 'delete_draft',
    title: 'Delete a draft',
    description: 'Permanently deletes a draft of a page.',
    effect: 'destructive',
    input: DRAFT,
  }),
];
