/** The limits of the builder. */

export const MAX_BUILDER_PROMPT = 4_000;
/** Turns of the model in one run. */
export const MAX_BUILDER_STEPS = 12;
export const MAX_BUILDER_MINUTES = 5;
/** Tokens of one turn of the model, and of all turns in a run. */
export const MAX_TURN_INPUT_TOKENS = 100_000;
export const MAX_TURN_OUTPUT_TOKENS = 8_192;
export const MAX_RUN_TOKENS = 300_000;
/** How often the model gets the findings of a check to fix them. */
export const MAX_FIXES = 2;
/** Functions that one run can deploy. */
export const MAX_BUILT_FUNCTIONS = 3;
/** Runs that one user can have at the same time. A page has one. */
export const MAX_RUNS_PER_USER = 2;
/** Characters of an unfinished document that a run keeps and shows. A longer one is shown when it is complete. */
export const MAX_GROWING_HTML = 256 * 1024;
/** Characters of the model's texts that a run keeps. */
export const MAX_RUN_TEXT = 20_000;
/** Texts and steps that a run keeps. */
export const MAX_RUN_ENTRIES = 300;
/** Problems of a check that a run keeps, and characters of each. */
export const MAX_RUN_PROBLEMS = 8;
export const MAX_PROBLEM_LETTERS = 300;
/** How many windows of a person can watch the builder on one page, on one node. */
export const MAX_WATCHERS = 16;
