import type { z } from 'zod';
import { PageJson } from '../../contract/pages/page-json.ts';
import { findJsonFault } from '../../contract/rules/json/json-fault.ts';
import { ENGLISH } from '../../contract/rules/texts/fill.ts';
import { locateOffset, SourceError } from '../terminal/source-fault.ts';
import { CommandError } from '../usage.ts';

/** The contents of `function.json`: what `page.json` says about its function. */
const FunctionJson = PageJson.shape.function.unwrap();
export type FunctionJson = z.infer<typeof FunctionJson>;

export const parsePageJson = (file: string, text: string): PageJson => parseJson(PageJson, file, text);

export const parseFunctionJson = (file: string, text: string): FunctionJson =>
  parseJson(FunctionJson, file, text);

/** Reads settings; errors are shown with their line. */
function parseJson<Schema extends z.ZodType>(schema: Schema, file: string, text: string): z.output<Schema> {
  const fault = findJsonFault(text);
  if (fault)
    throw new SourceError(ENGLISH.say(fault.text.text, fault.text.values), {
      file,
      text,
      ...locateOffset(text, fault.offset),
    });
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new CommandError(`${file} is invalid.`);
  const unknown = 'keys' in issue ? String(issue.keys[0]) : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])].map(String);
  const message = unknown === undefined ? issue.message : 'is not a known field';
  const offset = Math.max(0, text.indexOf(JSON.stringify(path.at(-1) ?? '')));
  throw new SourceError(`${path.join('.')} ${message}`.trim(), { file, text, ...locateOffset(text, offset) });
}
