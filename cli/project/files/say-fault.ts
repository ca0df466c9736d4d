import { ENGLISH, type Text } from '../../../contract/rules/texts/fill.ts';

/** Why a file cannot be sent, as the end of a sentence. */
export const sayFault = (fault: string | Text): string =>
  typeof fault === 'string' ? fault : ENGLISH.say(fault.text, fault.values);
