import { z } from 'zod';
import { text } from '../fields.ts';
import {
  isFunctionPath,
  MAIN_MODULE,
  MAX_FUNCTION_FILES,
  MAX_FUNCTION_PATH,
} from '../rules/function-names.ts';
import { rule } from '../rules/texts/rule.ts';

/** The modules of a function, except its main one. */

const BAD_PATH = rule(
  'is not the path of a module: use letters, digits, dots, hyphens and underscores, for example lib/x.ts (not {main}, which is the main module, and at most {max} characters)',
  { main: MAIN_MODULE, max: String(MAX_FUNCTION_PATH) },
);
const IN_FILE = 'is in a folder that has the path of a file';
const TOO_MANY = rule('has more than {max} files', { max: String(MAX_FUNCTION_FILES) });

const filesByPath = z.record(z.string(), text()).superRefine((files, { addIssue }) => {
  for (const path of Object.keys(files).filter((one) => !isFunctionPath(one)))
    addIssue({ code: 'custom', path: [path], message: BAD_PATH });
  for (const path of Object.keys(files).filter((one) => isInFile(one, files)))
    addIssue({ code: 'custom', path: [path], message: IN_FILE });
});

/** Whether one of the folders of a path is the path of a file. */
function isInFile(path: string, files: object): boolean {
  const parts = path.split('/');
  return parts.some((_, length) => {
    const folder = parts.slice(0, length).join('/');
    return folder === MAIN_MODULE || Object.hasOwn(files, folder);
  });
}

/** Checks the number of files before their paths. */
const checked = z.preprocess((value, { addIssue }) => {
  const isTooMany =
    typeof value === 'object' && value !== null && Object.keys(value).length > MAX_FUNCTION_FILES;
  if (!isTooMany) return value;
  addIssue(TOO_MANY);
  return {};
}, filesByPath);

/** The sources of modules by their path, as clients send them. */
export const FunctionFiles = (checked as z.ZodType<Record<string, string>, Record<string, string>>).meta({
  description: `Further modules by their path, for example { "lib/x.ts": "…" }, which the code imports as "./lib/x.ts". A .wasm file is sent as Base64. package.json gives the versions of packages that are imported by their name, and tsconfig.json how to compile. migrations/*.sql change the database before the new code serves, in the order of their names, once each. At most ${MAX_FUNCTION_FILES}, and 1 MB together with the code.`,
  maxProperties: MAX_FUNCTION_FILES,
});
export type FunctionFiles = Record<string, string>;
