import { PageJson } from '../../contract/pages/page-json.ts';
import { findJsonFault } from '../../contract/rules/json/json-fault.ts';
import { ENGLISH } from '../../contract/rules/texts/fill.ts';
import { locateOffset, SourceError } from '../terminal/source-fault.ts';
import { CommandError } from '../usage.ts';

/** Reads `page.json`; errors are shown with their line. */
export function parsePageJson(file: string, text: string): PageJson {
  const fault = findJsonFault(text);
  if (fault)
    throw new SourceError(ENGLISH.say(fault.text.text, fault.text.values), {
      file,
      text,
      ...locateOffset(text, fault.offset),
    });
  const parsed = PageJson.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new CommandError(`${file} is invalid.`);
  const unknown = 'keys' in issue ? String(issue.keys[0]) : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])].map(String);
  const message = unknown === undefined ? issue.message : 'is not a known field';
  const offset = Math.max(0, text.indexOf(JSON.stringify(path.at(-1) ?? '')));
  throw new SourceError(`${path.join('.')} ${message}`.trim(), { file, text, ...locateOffset(text, offset) });
}
