import type { BuilderEntry, BuilderOutcome, BuilderProblem } from '../../../contract/agents/builder.ts';
import { CHECK_STEP } from '../../../contract/agents/builder-run.ts';
import { t } from '../../texts/index.ts';

/** The builder in words for the person. */

export type Step = Extract<BuilderEntry, { kind: 'step' }>;

const STEPS: Record<string, (about: string) => string> = {
  get_page: () => t('Reading the page'),
  read_file: (about) => (about === '' ? t('Reading the page') : t('Reading {name}', { name: about })),
  save_draft: () => t('Writing the page'),
  edit_file: () => t('Changing a passage'),
  write_files: (about) => t('Writing {name}', { name: about }),
  update_page: () => t('Setting up the page'),
  list_collections: () => t('Looking at the data'),
  get_collection_schema: (about) => t('Looking at {name}', { name: about }),
  put_collection_schema: (about) => t('Making a place for {name}', { name: about }),
  deploy_function: (about) => t('Starting the function {name}', { name: about }),
  update_function: (about) => t('Changing the function {name}', { name: about }),
  run_sql_script: (about) => t('Setting up the database of {name}', { name: about }),
  call_function: (about) => t('Trying the function {name}', { name: about }),
  read_docs: () => t('Reading the guide'),
};

/** A step of the time line. The name of a tool that nobody knows is the model's, and is shown as it is. */
export function describeStep({ name, summary, state, problems }: Step): string {
  if (name === CHECK_STEP) {
    if (problems === null || state !== 'done') return t('Trying it in a browser');
    return t('{count|Trying it in a browser: 1 error|Trying it in a browser: {count} errors}', {
      count: problems.length,
    });
  }
  const known = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  return known ? known(summary).trim() : t('Trying something unknown: {name}', { name });
}

const PROBLEMS: Record<BuilderProblem['kind'], (problem: BuilderProblem) => string> = {
  script: ({ text }) => t('A script stopped: {text}', { text }),
  console: ({ text }) => t('The page reported an error: {text}', { text }),
  request: ({ text, status }) =>
    status
      ? t('{address} could not be loaded (status {status}).', { address: text, status: String(status) })
      : t('{address} did not answer.', { address: text }),
  drawing: () => t('The page could not be drawn.'),
};

export const describeProblem = (problem: BuilderProblem): string => PROBLEMS[problem.kind](problem);

/** How a run of the builder ended, if there is something to say about it. */
const ENDS: Record<BuilderOutcome, string> = {
  finished: '',
  steps: t('The builder has used all its steps. Everything so far is kept. Ask it to continue.'),
  time: t('The builder stopped after five minutes. Everything so far is kept. Ask it to continue.'),
  credits: t('Your credits do not pay for another step. Everything so far is kept.'),
  length: t(
    'The conversation is too long for another step. Everything so far is kept. Ask for a smaller change.',
  ),
  stopped: t('Stopped. Everything so far is kept.'),
};
export const sayEnd = (outcome: BuilderOutcome): string => ENDS[outcome];

interface Trouble {
  title: string;
  advice: string;
  /** True if an administrator can change something about it. */
  isForAdmins?: true;
}

/** What is wrong with the model, and what to do. */
const TROUBLES: Record<string, Trouble> = {
  provider_key: {
    title: t('The model does not accept the key of this server.'),
    advice: t('The key is wrong, or was revoked. An administrator can enter another one.'),
    isForAdmins: true,
  },
  provider_money: {
    title: t('The account of the model has no money left.'),
    advice: t('An administrator can top it up, or connect another model.'),
    isForAdmins: true,
  },
  provider_busy: {
    title: t('The model has too much to do right now.'),
    advice: t('Wait a minute, then try again.'),
  },
  provider_timeout: {
    title: t('The model stopped answering.'),
    advice: t('Nothing came for a minute. Usually it works again soon.'),
  },
  provider_error: {
    title: t('The model could not be reached.'),
    advice: t('Try again. If it happens again, an administrator can look at the model.'),
    isForAdmins: true,
  },
};
export const findTrouble = (error: string): Trouble | undefined =>
  Object.hasOwn(TROUBLES, error) ? TROUBLES[error] : undefined;
