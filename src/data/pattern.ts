import { RE2JS } from 're2js';

/** Patterns of owners, which run in linear time whatever they are: https://github.com/google/re2/wiki/WhyRE2 */

const MAX_STEPS = 1_000;
/** Matching takes time by the pattern's steps times the text's length; this much is a few hundredths of a second. */
const MAX_MATCH_WORK = 5_000_000;

/** Undefined when it is no pattern, or too large a one. */
export function compilePattern(source: string): RE2JS | undefined {
  try {
    const compiled = RE2JS.compile(source);
    return compiled.programSize() <= MAX_STEPS ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Looks for the pattern anywhere in the text, unless that would take too long. */
export function matchPattern(source: string, text: string): 'matches' | 'differs' | 'too long' {
  const compiled = compilePattern(source);
  if (!compiled || compiled.programSize() * text.length > MAX_MATCH_WORK) return 'too long';
  return compiled.matcher(text).find() ? 'matches' : 'differs';
}
