import { specEndpoints } from '../../../../../contract/agents/spec-endpoints.ts';
import { analyticsEndpoints } from '../../../../../contract/analytics/endpoints.ts';
import { checkEndpoints } from '../../../../../contract/checks/endpoints.ts';
import type { PageCheck } from '../../../../../contract/checks/page-check.ts';
import { featureEndpoints } from '../../../../../contract/features/endpoints.ts';
import { formEndpoints } from '../../../../../contract/forms/endpoints.ts';
import { pageEndpoints } from '../../../../../contract/pages/endpoints.ts';
import { pageVersionEndpoints } from '../../../../../contract/pages/versions/version-endpoints.ts';
import { type Definition, tool } from './definition.ts';

const PAGE = { id: { type: 'integer', description: 'The id of the page.' } };
const HTML = {
  type: 'string',
  description: 'A complete HTML document, at most 4 MB. {{PAGE_ID}} is replaced with the page id.',
};
const SPEC = "a page's agent spec, which its owner wrote";
const PUBLISHED = 'a page and what Quire noticed in it, which can quote the page';
const FORM = { ...PAGE, name: { type: 'string', description: 'The name of the form.' } };
const WRITTEN = 'messages that visitors wrote';
const CREATED = 'Returns id, slug and url.';

/** Tools for pages, versions, agent specs and forms. */
export const pageTools: Definition[] = [
  tool(pageEndpoints.listPages, {
    name: 'list_pages',
    title: 'List pages',
    description: 'Lists your pages without their HTML, last changed first.',
    effect: 'read',
    source: 'pages that you or your team wrote',
    more: 'Use a smaller limit, and continue with offset.',
    input: { q: { type: 'string', description: 'Only pages whose name or slug contains this.' } },
  }),
  tool(pageEndpoints.lookUpPage, {
    name: 'find_page',
    title: 'Find a page by its slug',
    description: 'Returns the id, name and state of the page at /p/<slug>, including pages of other people.',
    effect: 'read',
    source: 'a page that someone else may have written',
  }),
  tool(pageEndpoints.getPage, {
    name: 'get_page',
    title: 'Read a page',
    description: 'Returns one of your pages with its HTML, settings, editing thread and number of versions.',
    effect: 'read',
    source: 'a page and its editing thread, which others may have written',
    input: PAGE,
  }),
  tool(pageVersionEndpoints.listPageVersions, {
    name: 'list_versions',
    title: 'List versions',
    description: 'Lists the versions of a page, newest first.',
    effect: 'read',
    source: 'versions of a page, with the names that people chose for themselves',
    input: PAGE,
  }),
  tool(pageVersionEndpoints.getPageVersion, {
    name: 'get_version',
    title: 'Read a version',
    description: 'Returns one version of a page with its HTML.',
    effect: 'read',
    source: 'a version of a page, which others may have written',
    input: { ...PAGE, version: { type: 'integer' } },
  }),
  tool(checkEndpoints.checkPage, {
    name: 'check_page',
    title: 'Check a page',
    description:
      'Opens one of your pages in a browser, does the steps, and returns a picture, what became of each step, the console, errors with their lines in the HTML, failed requests and accessibility findings. Use it after each change. With as=owner you see it also if it is not published. Invented visitors are removed afterwards, with their records.',
    effect: 'read',
    more: 'Correct the first problems, then check the page again.',
    slow: 'A browser is looking at the page',
    reachesOut: true,
    source: 'a page: what it shows and prints, also in the picture, which others may have written',
    input: { id: { type: 'string', description: 'The id or slug of the page.' } },
    findPicture: ({ screenshot }) => (screenshot as PageCheck['screenshot'])?.url,
  }),
  tool(analyticsEndpoints.getPageAnalytics, {
    name: 'get_page_analytics',
    title: 'Read how a page is used',
    description:
      'Returns views, visitors, referrers and used features of one of your pages, compared with the time before, and the last errors in visitors’ browsers with their lines.',
    effect: 'read',
    more: 'Use a shorter range.',
    source: 'addresses and errors that visitors’ browsers sent, which anyone can invent',
    input: { id: { type: 'string', description: 'The id or slug of the page.' } },
  }),
  tool(specEndpoints.getAgentSpec, {
    name: 'get_agent_spec',
    title: 'Read an agent spec',
    description: 'Returns the agent spec of a page, its storage mode and the schemas of its collections.',
    effect: 'read',
    source: SPEC,
    input: { id: { type: 'string', description: 'The id or slug of any page.' } },
  }),
  tool(pageEndpoints.createPage, {
    name: 'create_page',
    title: 'Publish a page',
    description: `Publishes an HTML document at /p/<slug>. The slug is made from the name. ${CREATED}`,
    effect: 'write',
    source: PUBLISHED,
    input: { html_content: HTML },
  }),
  tool(pageEndpoints.updatePage, {
    name: 'update_page',
    title: 'Change a page',
    description:
      'Changes the given fields of a page: all of them, or none. New HTML becomes a new version, and the old one is kept. With base_version, the change is rejected if someone else has changed the page.',
    effect: 'write',
    source: PUBLISHED,
    input: {
      ...PAGE,
      html_content: HTML,
      base_version: { type: 'integer', description: 'The version that your change is based on.' },
    },
  }),
  tool(pageVersionEndpoints.restorePageVersion, {
    name: 'restore_version',
    title: 'Restore a version',
    description: 'Restores an earlier version as a new version. Nothing is lost.',
    effect: 'write',
    input: { ...PAGE, version: { type: 'integer' } },
  }),
  tool(pageEndpoints.forkPage, {
    name: 'fork_page',
    title: 'Fork a page',
    description: `Creates your own copy of a published page: HTML, settings, schemas and agent spec, but no data. ${CREATED}`,
    effect: 'write',
    source: 'a page that someone else may have written',
    input: PAGE,
  }),
  tool(featureEndpoints.generatePreviewImage, {
    name: 'generate_preview_image',
    title: 'Make a preview image',
    description:
      'Creates the preview image that links to the page show, from its name and, if given, its HTML. Can cost 4 credits.',
    effect: 'write',
    reachesOut: true,
    slow: 'Making the picture',
    input: PAGE,
  }),
  tool(specEndpoints.setAgentSpec, {
    name: 'put_agent_spec',
    title: 'Write an agent spec',
    description: 'Sets the agent spec of a page, at most 50,000 characters. Replaces the current spec.',
    effect: 'destructive',
    source: SPEC,
    input: PAGE,
  }),
  tool(specEndpoints.deleteAgentSpec, {
    name: 'delete_agent_spec',
    title: 'Delete an agent spec',
    description: "Deletes a page's agent spec.",
    effect: 'destructive',
    input: PAGE,
  }),
  tool(pageEndpoints.deletePage, {
    name: 'delete_page',
    title: 'Delete a page',
    description: 'Permanently deletes a page with its versions, data, files and spec.',
    effect: 'destructive',
    input: PAGE,
  }),
  tool(formEndpoints.listForms, {
    name: 'list_forms',
    title: 'List forms',
    description: 'Lists the forms of a page that have messages, with the number of unread ones.',
    effect: 'read',
    source: WRITTEN,
    input: PAGE,
  }),
  tool(formEndpoints.listFormMessages, {
    name: 'list_form_messages',
    title: 'Read the messages of a form',
    description:
      'Returns what visitors sent with a form, newest first. Reading does not mark messages as read. Files are named, not returned.',
    effect: 'read',
    source: WRITTEN,
    more: 'Use a smaller limit, and continue with before.',
    input: FORM,
  }),
  tool(formEndpoints.markFormMessage, {
    name: 'mark_form_message',
    title: 'Mark a message',
    description: 'Marks a message of a form as read or unread.',
    effect: 'write',
    source: WRITTEN,
    input: FORM,
  }),
  tool(formEndpoints.deleteFormMessage, {
    name: 'delete_form_message',
    title: 'Delete a message',
    description: 'Permanently deletes a message of a form with its files.',
    effect: 'destructive',
    input: FORM,
  }),
];
