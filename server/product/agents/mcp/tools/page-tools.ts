import { specEndpoints } from '../../../../../contract/agents/spec-endpoints.ts';
import type { PageAnalytics } from '../../../../../contract/analytics/analytics.ts';
import { analyticsEndpoints } from '../../../../../contract/analytics/endpoints.ts';
import { attackEndpoints } from '../../../../../contract/attack/endpoints.ts';
import { checkEndpoints } from '../../../../../contract/checks/endpoints.ts';
import type { PageCheck } from '../../../../../contract/checks/page-check.ts';
import { featureEndpoints } from '../../../../../contract/features/endpoints.ts';
import { functionVersionEndpoints } from '../../../../../contract/functions/version-endpoints.ts';
import { draftEndpoints } from '../../../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../../../contract/pages/endpoints.ts';
import { momentEndpoints } from '../../../../../contract/pages/history/moment-endpoints.ts';
import type { Moment, MomentList } from '../../../../../contract/pages/history/moments.ts';
import type { PageList, PatchedPage } from '../../../../../contract/pages/pages.ts';
import { pageVersionEndpoints } from '../../../../../contract/pages/versions/version-endpoints.ts';
import { createPage } from './create-page.ts';
import { type Definition, type Input, tool } from './definition.ts';
import { continueWithOffset, cutLines, cutList } from './results/cut.ts';

const PAGE = { id: { type: 'integer' } };
const FUNCTION = { slug: { type: 'string', description: 'Or a function' } };
const BOTH = ['pages', 'functions'] as const;
const ANY_PAGE = { id: { type: 'string' } };
const HTML = { type: 'string', description: 'A complete HTML document. {{PAGE_ID}} becomes the page id' };
const OBJECT = { type: 'object' };
const LIST = { type: 'array' };
const SPEC = "a page's agent spec, which its owner wrote";
const PUBLISHED = 'a page and what Quire noticed in it, which can quote the page';

/** Tools for pages, their versions and agent specs. */
const definitions: Definition[] = [
  tool(pageEndpoints.listPages, {
    name: 'list_pages',
    title: 'List pages',
    description: 'Lists your pages, last changed first.',
    effect: 'read',
    source: 'pages that you or your team wrote',
    shape: listBriefly,
    cut: cutList('pages', continueWithOffset),
    input: {
      q: 'In the name or slug',
      order: '',
      state: '',
    },
  }),
  tool(pageEndpoints.lookUpPage, {
    name: 'find_page',
    title: 'Find a page by its slug',
    description: 'Returns the id, name and state of the page at /p/<slug>, also of other people.',
    effect: 'read',
    source: 'a page that someone else may have written',
  }),
  tool(pageEndpoints.getPage, {
    name: 'get_page',
    title: 'Read a page',
    description:
      'Returns one of your pages with its HTML, settings and editing thread; with version or draft, that one with its HTML and files.',
    effect: 'read',
    source: 'a page and its editing thread, which others may have written',
    cut: cutDocument,
    also: [
      { given: 'draft', endpoint: draftEndpoints.getDraft },
      { given: 'version', endpoint: pageVersionEndpoints.getPageVersion },
    ],
    adds: ['draft', 'version'],
    input: {
      ...PAGE,
      draft: { type: 'integer' },
      version: { type: 'integer' },
      before: { type: 'integer', description: 'Earlier messages of the thread' },
    },
  }),
  tool(pageVersionEndpoints.listPageVersions, {
    group: BOTH,
    name: 'list_versions',
    title: 'List versions',
    description: 'Lists the versions of a page or function, newest first.',
    effect: 'read',
    source: 'versions, with their notes and the names that people chose for themselves',
    cut: cutList('versions', (kept) => `Continue with before=${kept.at(-1)?.version}.`),
    also: [{ given: 'slug', endpoint: functionVersionEndpoints.listFunctionVersions }],
    adds: ['slug'],
    input: { ...PAGE, ...FUNCTION, before: { type: 'integer', description: 'A version' } },
  }),
  tool(checkEndpoints.checkPage, {
    name: 'check_page',
    title: 'Check a page',
    description:
      'Opens your page in a browser, does the steps, and returns a picture, the outcome of each step, console, errors with their lines, failed requests and accessibility findings. With as=owner you see it also if it is not published.',
    effect: 'read',
    more: 'Correct the first problems, then check the page again.',
    slow: 'A browser is looking at the page',
    reachesOut: true,
    source: 'a page: what it shows and prints, also in the picture, which others may have written',
    input: {
      ...ANY_PAGE,
      as: {
        description: 'nobody, owner, visitor (invented), a role or member of the team, or a list of these',
        default: 'nobody',
      },
      viewport: '',
      width: '',
      path: 'Another page of the site',
      draft: '',
    },
    findPicture: ({ screenshot }) => (screenshot as PageCheck['screenshot'])?.url,
  }),
  tool(attackEndpoints.attackPage, {
    name: 'attack_page',
    title: 'Attack a copy',
    description: 'Tries on a copy of your page what strangers must not do. Returns findings with proof.',
    effect: 'write',
    more: 'Repair the first findings, then attack again.',
    slow: 'The copy is being attacked',
    source: 'a page and its functions, which others may have written',
    input: { ...ANY_PAGE, branch: '' },
  }),
  tool(analyticsEndpoints.getPageAnalytics, {
    name: 'get_page_analytics',
    title: 'Read how a page is used',
    description:
      'Returns views, visitors, referrers and used features of a page, compared with the time before, and the last errors in visitors’ browsers.',
    effect: 'read',
    more: 'Use a shorter range.',
    source: 'addresses and errors that visitors’ browsers sent, which anyone can invent',
    shape: withoutQuietTimes,
    input: { ...ANY_PAGE, range: '' },
  }),
  tool(specEndpoints.getAgentSpec, {
    name: 'get_agent_spec',
    title: 'Read an agent spec',
    description: 'Returns what any page says about itself to agents, and the schemas of its collections.',
    effect: 'read',
    source: SPEC,
    input: ANY_PAGE,
  }),
  {
    ...tool(pageEndpoints.createPage, {
      name: 'create_page',
      title: 'Publish a page',
      description:
        'Publishes a page at /p/<slug>; the slug is made from the name. Fields as in update_page, which has more.',
      effect: 'write',
      source: PUBLISHED,
      adds: ['files'],
      input: {
        html_content: '',
        files: { type: 'object', description: 'Beside it: {"css/a.css":"…"}' },
        spa: '',
        protected: '',
        isolation: OBJECT,
        access: OBJECT,
        functions: LIST,
        agent_functions: LIST,
        storage_mode: { type: 'string' },
      },
    }),
    work: { fields: ['page', 'url', 'version', 'warnings'], run: createPage },
  },
  tool(pageEndpoints.updatePage, {
    name: 'update_page',
    title: 'Change a page',
    description:
      'Changes the given fields, all or none; new HTML as a new version. With base_version, fails if someone else has changed the page. For a small change use edit_file.',
    effect: 'write',
    source: PUBLISHED,
    shape: onlyChanged,
    // Whether visitors' clicks are kept, and what is attacked, is for a person to decide.
    hidden: ['repair', 'attack_first'],
    input: {
      ...PAGE,
      html_content: HTML,
      base_version: { type: 'integer' },
      note: 'On the version',
      spa: 'The document answers all navigations that match no file',
      protected: '',
      is_listed: 'In the gallery',
      topic: 'For the gallery',
      isolation: {
        type: 'object',
        description:
          'On the page’s own host: {"coop":"same-origin","coep":"require-corp","service_worker":true}',
      },
      access: {
        type: 'object',
        description:
          '{"mode":"public"|"password"|"people"|"team"|"private","password","people":[username or e-mail],"expires_at"}',
      },
      functions: { type: 'array', description: 'Slugs of the functions that belong to the page' },
      agent_functions: {
        type: 'array',
        description:
          'Tools of the page’s MCP server: {"slug","description","inputSchema"}. Replaces the list',
      },
    },
  }),
  tool(pageVersionEndpoints.restorePageVersion, {
    group: BOTH,
    name: 'restore_version',
    title: 'Restore a version',
    description:
      'Restores an earlier version of a page or function as a new version. Databases stay as they are.',
    effect: 'write',
    slow: 'Restoring the version',
    also: [{ given: 'slug', endpoint: functionVersionEndpoints.restoreFunctionVersion }],
    adds: ['slug'],
    input: { ...PAGE, ...FUNCTION, version: { type: 'integer' } },
  }),
  tool(momentEndpoints.listMoments, {
    name: 'restore_page',
    title: 'Restore a moment',
    description:
      'Lists moments of a page. With at, moves the page, its functions, databases and records back to that moment; restore undo to take it back. With name, keeps a moment.',
    effect: 'write',
    slow: 'Restoring the moment',
    source: 'moments, with names that people chose',
    shape: sayBriefly,
    cut: cutList('moments', (kept) => `Continue with to=${kept.at(-1)?.at}.`),
    also: [
      { given: 'at', endpoint: momentEndpoints.restoreMoment },
      { given: 'name', endpoint: momentEndpoints.keepMoment },
    ],
    adds: ['at', 'name', 'parts', 'collections', 'dry_run'],
    input: {
      ...PAGE,
      at: '',
      parts: LIST,
      dry_run: '',
      to: '',
    },
    hidden: ['from', 'limit', 'collections'],
  }),
  tool(pageEndpoints.forkPage, {
    name: 'fork_page',
    title: 'Fork a page',
    description: 'Creates your own copy of a published page, without its data.',
    effect: 'write',
    source: 'a page that someone else may have written',
    input: PAGE,
  }),
  tool(featureEndpoints.generatePreviewImage, {
    name: 'generate_preview_image',
    title: 'Make a preview image',
    description:
      'Makes the picture that links to the page show, from its name and, if given, its HTML; with source=screenshot from the last check. Drawing can cost 4 credits.',
    effect: 'write',
    reachesOut: true,
    slow: 'Making the picture',
    input: { ...PAGE, source: '' },
  }),
  tool(specEndpoints.setAgentSpec, {
    name: 'put_agent_spec',
    title: 'Write an agent spec',
    description: 'Sets the agent spec of a page; null deletes it.',
    effect: 'destructive',
    source: SPEC,
    also: [{ given: 'spec', is: null, endpoint: specEndpoints.deleteAgentSpec }],
    input: { ...PAGE, spec: { type: ['string', 'null'] } },
  }),
  tool(pageEndpoints.deletePage, {
    name: 'delete_page',
    title: 'Delete a page',
    description: 'Permanently deletes a page with its versions, data, files and spec.',
    effect: 'destructive',
    input: PAGE,
  }),
];
export const pageTools = definitions.map(
  (each): Definition => ({ ...each, group: each.group === 'all' ? 'pages' : each.group }),
);

/** The fields of a page by which it is told from others. `get_page` has all of them. */
function listBriefly({ pages, ...rest }: PageList) {
  return {
    ...rest,
    pages: pages.map((page) => ({
      id: page.id,
      name: page.name,
      slug: page.slug,
      url: page.url,
      is_published: page.is_published,
      access: page.access.mode,
      storage_mode: page.storage_mode,
      views: page.views,
      updated_at: page.updated_at,
    })),
  };
}

/** Moments as one line each, with what happened before them. */
function sayBriefly(data: MomentList | Moment) {
  if (!('moments' in data)) return data;
  const moments = data.moments.map(({ at, name, causes }) => ({
    at,
    name,
    what: causes.map(({ text, by }) => (by === null ? text : `${text} (${by})`)).join(' '),
  }));
  return { moments, oldest: data.oldest };
}

/** What an update has changed: the version, and the fields that the agent sent. */
function onlyChanged({ page, url, version, warnings }: PatchedPage, input: Input) {
  const changed = Object.entries(page).filter(([name]) => Object.hasOwn(input, name));
  return { version, url, warnings, page: { id: page.id, slug: page.slug, ...Object.fromEntries(changed) } };
}

/** Cuts the HTML of a page, a version or a draft. */
function cutDocument(data: Record<string, unknown>, input: Input, fits: (part: unknown) => boolean) {
  const messages = data.messages as unknown[] | undefined;
  const page = 'page' in data ? (['page', 'html_content'] as const) : (['html_content'] as const);
  const cut = cutLines(page, 'read_file');
  return cut(data, input, fits) ?? (messages && cut({ ...data, messages: [] }, input, fits));
}

/** Leaves out the hours and days in which nothing happened. */
function withoutQuietTimes(analytics: PageAnalytics) {
  const busy = (points: PageAnalytics['series']) =>
    points.filter(({ views, visitors, errors }) => views + visitors + errors > 0);
  return { ...analytics, series: busy(analytics.series), previous: busy(analytics.previous) };
}
