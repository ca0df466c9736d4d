import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { callApi, readText } from '../../platform/http/index.ts';
import { checkDraft } from './check.ts';
import type { BuilderContext, Toolbox } from './context.ts';
import type { Run } from './run.ts';

type Input = Record<string, unknown>;

export interface OwnResult {
  text: string;
  isError: boolean;
  writesDraft?: boolean;
  /** The document that was written. */
  document?: string;
  event?: BuilderEvent;
}

/** A tool that only the builder has. Agents need several calls for the same. */
export interface OwnTool {
  description: string;
  inputSchema(toolbox: Toolbox): Input;
  about?: string;
  run(context: BuilderContext, run: Run, input: Input): Promise<OwnResult>;
}

const object = (properties: Input, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const TEXT = { type: 'string' };

export const OWN_TOOLS: Record<string, OwnTool> = {
  replace_in_draft: {
    description:
      'Replaces one passage of the document of the draft. find must occur exactly once: copy it with enough around it.',
    inputSchema: () => object({ find: TEXT, replace: TEXT }, ['find', 'replace']),
    run: replaceInDraft,
  },
  check_draft: {
    description:
      'Opens the draft in a browser and returns the problems it reports. It happens by itself at the end.',
    inputSchema: () => object({}, []),
    async run(context, run) {
      const { event, findings } = await checkDraft(context, run);
      // The check at the end tries again.
      run.isUnchecked = event.check === null;
      const text = findings ?? event.reason ?? 'The browser reported no problem.';
      return { text, isError: event.check === null, event };
    },
  },
  read_document: {
    description: 'Returns a guide to Quire.',
    inputSchema({ documents }) {
      const names = Object.keys(documents);
      const about = names.map((name) => `${name}: ${documents[name]?.about}`).join(' ');
      return object({ name: { type: 'string', enum: names, description: about } }, ['name']);
    },
    about: 'name',
    run: readDocument,
  },
};

async function replaceInDraft(
  context: BuilderContext,
  run: Run,
  { find, replace }: Input,
): Promise<OwnResult> {
  if (typeof find !== 'string' || typeof replace !== 'string' || find === '')
    return failed('find and replace must be text, and find must not be empty.');
  const params = { id: run.page.id, draft: run.draft.id };
  const read = await callApi(context, run, draftEndpoints.getDraft, { params });
  if (!read.isOk) return failed(readError(read.body));
  const { html_content: html, revision } = read.body;
  const first = html.indexOf(find);
  if (first < 0) return failed('The draft does not contain the passage. Read it with get_draft.');
  if (html.indexOf(find, first + 1) >= 0)
    return failed('The passage occurs more than once. Copy more around it.');
  const html_content = html.slice(0, first) + replace + html.slice(first + find.length);
  const body = { html_content, revision };
  const saved = await callApi(context, run, draftEndpoints.updateDraft, { params, body });
  if (!saved.isOk) return failed(readError(saved.body));
  const { draft, warnings } = saved.body;
  run.draft.revision = draft.revision;
  const text = `Saved. Warnings: ${JSON.stringify(warnings)}`;
  return { text, isError: false, writesDraft: true, document: html_content };
}

async function readDocument(context: BuilderContext, run: Run, { name }: Input): Promise<OwnResult> {
  const { documents } = context.service.toolbox;
  const document = Object.hasOwn(documents, String(name)) ? documents[String(name)] : undefined;
  if (!document) return failed(`There is no such guide. Choose one of ${Object.keys(documents).join(', ')}.`);
  const text = await readText(context, run, document.path);
  return text === undefined ? failed('The guide cannot be read right now.') : { text, isError: false };
}

const failed = (text: string): OwnResult => ({ text, isError: true });
const readError = ({ error }: { error?: unknown }) => String(error ?? 'The call failed.');
