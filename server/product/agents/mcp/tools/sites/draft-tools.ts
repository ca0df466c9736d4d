import { draftEndpoints } from '../../../../../../contract/pages/draft-endpoints.ts';
import { type Definition, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer', description: 'The id of the page.' } };
const DRAFT = { ...PAGE, draft: { type: 'integer', description: 'The id of the draft.' } };
const HTML = { type: 'string', description: 'A complete HTML document, at most 4 MB.' };
const REVISION = { type: 'integer', description: 'The revision that your change is based on.' };
const SAVED = 'a draft and what Quire noticed in it, which can quote it';

/** Tools for drafts: what is saved beside a page, and not published yet. */
export const draftTools: Definition[] = [
  tool(draftEndpoints.listDrafts, {
    name: 'list_drafts',
    title: 'List drafts',
    description: 'Lists the drafts of a page, last saved first, with the version that is published.',
    effect: 'read',
    source: 'notes and names that people wrote',
    input: PAGE,
  }),
  tool(draftEndpoints.getDraft, {
    name: 'get_draft',
    title: 'Read a draft',
    description: 'Returns a draft of a page with its HTML and the list of its files.',
    effect: 'read',
    source: 'a draft of a page, which others may have written',
    input: DRAFT,
  }),
  tool(draftEndpoints.createDraft, {
    name: 'save_draft',
    title: 'Save a draft',
    description:
      'Saves HTML beside a page without publishing it, with the files of the page. Visitors see nothing of it until publish_draft. A page has at most 20 drafts.',
    effect: 'write',
    source: SAVED,
    input: { ...PAGE, html_content: HTML },
  }),
  tool(draftEndpoints.updateDraft, {
    name: 'update_draft',
    title: 'Change a draft',
    description:
      'Saves a draft again. With revision, the change is rejected if someone else has saved the draft.',
    effect: 'write',
    source: SAVED,
    input: { ...DRAFT, html_content: HTML, revision: REVISION },
  }),
  tool(draftEndpoints.writeDraftFile, {
    name: 'write_draft_file',
    title: 'Write a file of a draft',
    description:
      'Adds a file to a draft, or replaces it. Send text as content, other bytes as content_base64, at most 25 MB. The page keeps its own files until the draft is published.',
    effect: 'write',
    source: SAVED,
    bytesBody: { text: 'content', base64: 'content_base64' },
    input: {
      ...DRAFT,
      path: { type: 'string', description: 'Its path, such as css/style.css.' },
      revision: REVISION,
      content: { type: 'string', description: 'The text of the file.' },
      content_base64: { type: 'string', description: 'Its bytes in base64, if it is not text.' },
    },
  }),
  tool(draftEndpoints.publishDraft, {
    name: 'publish_draft',
    title: 'Publish a draft',
    description:
      'Makes a draft the next version of its page. Rejected if the page has changed since the draft was started, unless base_version is the current version.',
    effect: 'write',
    input: { ...DRAFT, revision: REVISION },
  }),
  tool(draftEndpoints.deleteDraft, {
    name: 'delete_draft',
    title: 'Delete a draft',
    description: 'Permanently deletes a draft of a page.',
    effect: 'destructive',
    input: DRAFT,
  }),
];
