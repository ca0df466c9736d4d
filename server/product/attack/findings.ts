import type { Finding } from '../../../contract/attack/attack.ts';
import type { FindingKind } from '../../../contract/attack/kinds.ts';
import { FINDING_WORDS } from '../../../contract/attack/words.ts';
import { ENGLISH, type TextValues } from '../../../contract/rules/texts/fill.ts';
import { shorten, type Tried } from './send.ts';
import { makeKey } from './source/read-source.ts';

/** What was found, each thing once. */
export class Findings {
  readonly list: Finding[] = [];

  add(
    kind: FindingKind,
    found: {
      name?: string;
      fields?: string;
      who: Finding['who'];
      proof: Pick<Tried, 'status' | 'text' | 'request'> | { request: string; response: string };
    },
  ): void {
    const { name = '', fields = '', who, proof } = found;
    const key = makeKey(kind, name, kind === 'function-sql' ? '' : fields);
    if (this.list.some((each) => each.key === key)) return;
    const values: TextValues = { name, fields };
    const { severity, title, why, fix } = FINDING_WORDS[kind];
    const say = ({ text }: { text: string }) => ENGLISH.say(text, values);
    this.list.push({
      ...{ kind, severity, who, name, fields, key, meant: null },
      ...{ title: say(title), why: say(why), fix: say(fix) },
      request: proof.request,
      response: 'response' in proof ? proof.response : `${proof.status} ${shorten(proof.text)}`,
    });
  }
}
