import type { Prompt } from '@modelcontextprotocol/server';
import { AppError } from '../../../lib/errors.ts';
import type { Offer } from './protocol/index.ts';
import type { ToolCaller } from './tools/index.ts';

/** A task that people often ask for. */
interface Task extends Omit<Prompt, 'name' | 'arguments'> {
  arguments: { name: string; description: string; required: boolean }[];
  /** The text that asks the model to do the task. A missing argument is empty. */
  text(input: Record<string, string>): string;
}

const READ_FIRST = 'Read the resource quire://docs/llms.txt first if you have not.';
const wanted = (name: string, description: string) => ({ name, description, required: true });
const optional = (name: string, description: string) => ({ name, description, required: false });

const TASKS: Record<string, Task> = {
  publish_page: {
    title: 'Publish a page',
    description: 'Makes a web page and publishes it.',
    arguments: [wanted('idea', 'What the page is about.')],
    text: ({ idea }) =>
      `${READ_FIRST} Make one complete HTML document for this idea, with no dependencies that it does not need: ${idea}\nPublish it with create_page, look at it with check_page, and correct what that finds. Then tell me its url, and what I can ask you to change.`,
  },
  build_app: {
    title: 'Build an app with a back end',
    description: 'Makes a page with a function and a database.',
    arguments: [wanted('idea', 'What the app does.')],
    text: ({ idea }) =>
      `${READ_FIRST} Build this app: ${idea}\nFirst decide what to store, and whether records (storage_mode) are enough or a function with a database is needed. For a function: deploy_function with enableDatabase, run_sql_script to create the tables, call_function to try each path, read_function_logs if one fails. Then publish the page with create_page, look at it with check_page and correct what that finds, set its agent spec with put_agent_spec, and tell me its url.`,
  },
  change_page: {
    title: 'Change a page',
    description: 'Changes a published page without losing what others changed.',
    arguments: [wanted('page', 'The slug of the page.'), wanted('change', 'What to change.')],
    text: ({ page, change }) =>
      `Change my page ${page}: ${change}\nFind it with find_page and read it with get_page. Change only what this needs: passages with edit_file, or all of it with update_page and base_version, so that nobody's work is lost. Tell me what you changed, and that restore_version brings the old version back.`,
  },
  fix_function: {
    title: 'Find out why a function fails',
    description: 'Reads the log and the code of a function, and corrects it.',
    arguments: [wanted('function', 'The slug of the function.'), optional('problem', 'What goes wrong.')],
    text: ({ function: slug, problem }) =>
      `My function ${slug} does not work.${problem ? ` This goes wrong: ${problem}` : ''}\nRead read_function_logs, and the code with read_file, and call it with call_function if that changes nothing for others. Tell me the cause. Then correct it with edit_file and call it again to see that it works. restore_version brings the old code back.`,
  },
  describe_page: {
    title: 'Write an agent spec',
    description: 'Writes what a page says about itself to agents.',
    arguments: [wanted('page', 'The slug of the page.')],
    text: ({ page }) =>
      `Write the agent spec of my page ${page}. Read it with find_page and get_page, and its collections with list_collections and get_collection_schema. Say in plain sentences what the page is for, which collections and functions it has, and how another agent reads and writes them. Save it with put_agent_spec and show it to me.`,
  },
};

/** Prompts for the common tasks. */
export const PROMPTS: NonNullable<Offer<ToolCaller>['prompts']> = {
  list: Object.entries(TASKS).map(([name, { text: _, ...task }]) => ({ name, ...task })),
  async get(name, input) {
    const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
    if (!task)
      throw new AppError('BAD_REQUEST', 'There is no prompt {name}. Read prompts/list again.', {
        name: JSON.stringify(name.slice(0, 100)),
      });
    const missing = task.arguments.find(({ name: argument, required }) => required && !input[argument]);
    if (missing) throw new AppError('BAD_REQUEST', '{name}: is required.', { name: missing.name });
    return {
      description: task.description,
      messages: [{ role: 'user', content: { type: 'text', text: task.text(input) } }],
    };
  },
};
