import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILT_FUNCTIONS } from '../../../contract/rules/builder-limits.ts';
import { dashed, STORAGE_TYPES, type StorageType } from '../../../contract/rules/storage-modes.ts';
import { callApi } from '../../platform/http/index.ts';
import type { ModelTool } from '../../platform/providers/index.ts';
import type { BuilderContext } from './context.ts';
import { OWN_TOOLS, type OwnTool } from './own-tools.ts';
import type { Run } from './run.ts';

type Input = Record<string, unknown>;

/**
 * A tool of agents as a run offers it. The run sets the page and the draft itself, so no text that the model reads can
 * lead it to another page.
 */
export interface OfferedTool {
  /** The only arguments that the model can give. */
  takes: string[];
  /** The arguments that the run sets. */
  sets?(run: Run, input: Input): Input;
  /** Returns why a call is refused, for the model. */
  refuse?(context: BuilderContext, run: Run, input: Input): Promise<string | undefined>;
  /** True if the tool changes the draft. */
  writesDraft?: true;
  /** The argument that names what the tool works on, or how to name it. */
  about?: string | ((input: Input) => string);
}

const page = ({ page: { id } }: Run) => ({ id });
const draft = (run: Run) => ({ ...page(run), draft: run.draft.id });
/** The draft, unless the tool works on a function. */
const draftOrFunction = (run: Run, { slug }: Input) => (slug === undefined ? draft(run) : {});
const aboutFile = ({ slug, path }: Input) => [slug, path].filter((name) => name !== undefined).join('/');
const revision = (run: Run) => ({ ...draft(run), revision: run.draft.revision });

/** The tools of a run. None deletes, publishes or shares, and none reads secrets, records, logs or other pages. */
export const OFFERED: Record<string, OfferedTool> = {
  get_page: { takes: ['from'], sets: page },
  read_file: {
    takes: ['slug', 'path', 'from_line', 'to_line', 'from'],
    sets: draftOrFunction,
    refuse: unlessNamed,
    about: aboutFile,
  },
  save_draft: { takes: ['html_content'], sets: revision, writesDraft: true },
  edit_file: {
    takes: ['path', 'find', 'replace', 'all'],
    sets: draft,
    writesDraft: true,
    about: 'path',
  },
  write_files: { takes: ['files', 'delete'], sets: draft, writesDraft: true, about: 'files' },
  read_docs: { takes: ['query', 'name', 'section', 'from'], about: 'name' },
  update_page: {
    takes: ['description', 'storage_mode'],
    sets: page,
    refuse: ifPublished,
  },
  list_collections: { takes: ['type'], sets: page },
  get_collection_schema: { takes: ['type', 'collection'], sets: page, about: 'collection' },
  put_collection_schema: {
    takes: ['type', 'collection', 'schema'],
    sets: page,
    refuse: ifCollectionExists,
    about: 'collection',
  },
  deploy_function: {
    takes: ['slug', 'code', 'displayName', 'description', 'enableDatabase'],
    // Nobody calls a function of a branch that does not belong to it.
    sets: ({ branch, page: { id } }) => (branch ? { pageId: id } : {}),
    refuse: ifTooManyFunctions,
    about: 'slug',
  },
  update_function: { takes: ['slug', 'code', 'description'], refuse: unlessOwn, about: 'slug' },
  run_sql_script: { takes: ['slug', 'script'], refuse: unlessInvented, about: 'slug' },
  call_function: { takes: ['slug', 'body'], refuse: unlessInvented, about: 'slug' },
};

/** The tools that the model gets: those the caller's token allows. */
export function describeTools(context: BuilderContext, run: Run): ModelTool[] {
  const { toolbox } = context.service;
  const { scopes } = run.caller.actor;
  const agents = Object.entries(OFFERED).flatMap(([name, { takes }]) => {
    if (run.limits?.tools.has(name) === false) return [];
    const described = toolbox.describe(name, scopes);
    return described ? [{ name, ...described, inputSchema: only(described.inputSchema, takes) }] : [];
  });
  const own = Object.entries(OWN_TOOLS).map(([name, tool]: [string, OwnTool]) => ({
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));
  return [...agents, ...own];
}

function only(schema: Input, takes: string[]): Input {
  const { properties = {}, required = [] } = schema as { properties?: Input; required?: string[] };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => takes.includes(name))),
    required: required.filter((name) => takes.includes(name)),
  };
}

async function ifPublished(context: BuilderContext, run: Run): Promise<string | undefined> {
  const { isOk, body } = await callApi(context, run, pageEndpoints.getPage, { params: page(run) });
  return isOk && !body.page.is_published
    ? undefined
    : 'The page is published, so its settings stay as they are. Tell the person which setting to change.';
}

async function ifCollectionExists(
  context: BuilderContext,
  run: Run,
  { type, collection }: Input,
): Promise<string | undefined> {
  const storageType = STORAGE_TYPES.find((each) => dashed(each) === type);
  return storageType && (await isNew(context, run, storageType, String(collection)))
    ? undefined
    : 'This collection exists, so its schema and its rules stay as they are. Tell the person what to change.';
}

async function isNew(
  context: BuilderContext,
  run: Run,
  type: StorageType,
  collection: string,
): Promise<boolean> {
  const { listCollections, getSchema } = recordEndpoints[type];
  const listed = await callApi(context, run, listCollections, { params: page(run) });
  if (!listed.isOk || listed.body.collections.some(({ name }) => name === collection)) return false;
  const schema = await callApi(context, run, getSchema, { params: { ...page(run), collection } });
  return !schema.isOk && schema.status === 404;
}

async function ifTooManyFunctions(_: BuilderContext, { functions }: Run): Promise<string | undefined> {
  return functions.size < MAX_BUILT_FUNCTIONS
    ? undefined
    : `A run deploys at most ${MAX_BUILT_FUNCTIONS} functions. Use those that you have.`;
}

/** Whether the page is a branch that has this function. */
const isOfBranch = ({ branch }: Run, slug: unknown) =>
  branch?.functions.some((each) => each.slug === slug) ?? false;

async function unlessOwn(_: BuilderContext, run: Run, { slug }: Input): Promise<string | undefined> {
  return run.functions.has(String(slug)) || isOfBranch(run, slug)
    ? undefined
    : 'You can only use functions here that you deployed in this run, or that belong to this branch. Tell the person what to change in the other one.';
}

/** Refuses functions of a branch that read what real people have stored. */
async function unlessInvented(context: BuilderContext, run: Run, input: Input): Promise<string | undefined> {
  const isReal = run.branch?.hasRealData === true && !run.functions.has(String(input.slug));
  return isReal
    ? 'This branch has the data of real people, so you can change its functions and not use them. Tell the person how to try them.'
    : unlessOwn(context, run, input);
}

/** Refuses functions that the person has not named: a page can be a copy that calls functions of others. */
async function unlessNamed(_: BuilderContext, run: Run, { slug }: Input): Promise<string | undefined> {
  // With limits, the prompt quotes what others wrote.
  const named = run.limits ? [] : run.prompt.toLowerCase().split(/[^a-z0-9-]+/);
  const isKnown = run.functions.has(String(slug)) || isOfBranch(run, slug);
  if (slug === undefined || isKnown || named.includes(String(slug))) return undefined;
  return 'You can only read functions that you deployed in this run, that belong to this branch, or that the person named in their message. Tell them which one to name.';
}
