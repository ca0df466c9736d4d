import type { Finding } from '../../../contract/attack/attack.ts';
import { FINDING_WORDS } from '../../../contract/attack/words.ts';
import { translated } from '../../texts/index.ts';

/** What was found, why it matters or what helps, in the person's language. */
export function sayFinding(
  { kind, name, fields }: Pick<Finding, 'kind' | 'name' | 'fields'>,
  part: 'title' | 'why' | 'fix',
): string {
  // The names of fields stay as they are.
  const isSentence = kind === 'secret-in-page' || kind === 'no-rules';
  const values = { name, fields: isSentence ? translated({ text: fields }) : fields };
  return translated({ ...FINDING_WORDS[kind][part], values });
}
