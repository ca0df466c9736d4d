import type { Command } from '../command.ts';
import { LOG_OPTIONS, showLogs } from '../functions/logs.ts';
import { CommandError, EXIT } from '../usage.ts';
import { findDraftedPage } from './drafts/page.ts';
import { readPage } from './find.ts';

export const logs: Command = {
  name: 'logs',
  usage: '[folder|slug|id]',
  args: [0, 1],
  summary: 'show the logs of all functions of a page, each line with the slug of its function',
  options: LOG_OPTIONS,
  notes:
    'Without an argument, the page is the one of the current folder. For one function, use quire functions logs.',
  async run(call) {
    const [named = '.'] = call.args;
    const { api, id } = await findDraftedPage({ ...call, args: [named] });
    const { functions: slugs } = (await readPage(api, id)).page;
    if (slugs.length === 0)
      throw new CommandError(`The page ${id} has no functions at ${api.baseUrl}.`, EXIT.notFound);
    await showLogs(call, api, slugs, true);
  },
};
