import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { checkDraft } from './check.ts';
import type { BuilderContext } from './context.ts';
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

/** A tool that only the builder has. */
export interface OwnTool {
  description: string;
  inputSchema: Input;
  run(context: BuilderContext, run: Run, input: Input): Promise<OwnResult>;
}

export const OWN_TOOLS: Record<string, OwnTool> = {
  check_draft: {
    description:
      'Opens the draft in a browser and returns the problems it reports. It happens by itself at the end.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async run(context, run) {
      const { event, findings } = await checkDraft(context, run);
      // The check at the end tries again.
      run.isUnchecked = event.check === null;
      const text = findings ?? event.reason ?? 'The browser reported no problem.';
      return { text, isError: event.check === null, event };
    },
  },
};
