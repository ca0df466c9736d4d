import type { BuilderOutcome } from '../../../contract/agents/builder.ts';
import { t } from '../../texts/index.ts';

/** What a tool does, in words for the person. */
const TOOLS: Record<string, (about: string) => string> = {
  get_page: () => t('Reads the page'),
  get_draft: () => t('Reads the draft'),
  read_page_file: (about) => t('Reads {name}', { name: about }),
  update_draft: () => t('Writes the page'),
  replace_in_draft: () => t('Changes a passage'),
  write_draft_file: (about) => t('Writes {name}', { name: about }),
  update_page: () => t('Names the page'),
  list_collections: () => t('Looks at the data'),
  get_collection_schema: (about) => t('Reads the schema of {name}', { name: about }),
  put_collection_schema: (about) => t('Makes the collection {name}', { name: about }),
  deploy_function: (about) => t('Deploys the function {name}', { name: about }),
  update_function: (about) => t('Changes the function {name}', { name: about }),
  get_function_code: (about) => t('Reads the function {name}', { name: about }),
  run_sql_script: (about) => t('Sets up the database of {name}', { name: about }),
  call_function: (about) => t('Tries the function {name}', { name: about }),
  check_draft: () => t('Looks at the page in a browser'),
  read_document: (about) => t('Reads the guide {name}', { name: about }),
};

/** The name of a tool that nobody knows is the model's, and is shown as it is. */
export const describeCall = (name: string, about: string): string =>
  Object.hasOwn(TOOLS, name) ? (TOOLS[name]?.(about) ?? name).trim() : name;

/** How a run of the builder ended, if there is something to say about it. */
const ENDS: Record<BuilderOutcome, string> = {
  finished: '',
  steps: t('The builder stopped after its last step. What it wrote is kept as a draft. Ask it to continue.'),
  time: t('The builder stopped after five minutes. What it wrote is kept as a draft. Ask it to continue.'),
  credits: t('Your credits do not pay for another step. What the builder wrote is kept as a draft.'),
  length: t(
    'The conversation is too long for another step. What the builder wrote is kept as a draft. Ask for a smaller change.',
  ),
  stopped: t('Stopped. What the builder wrote is kept as a draft.'),
};
export const sayEnd = (outcome: BuilderOutcome): string => ENDS[outcome];
