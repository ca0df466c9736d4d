import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import TEXT from './llms.md' with { type: 'text' };

/** A section for some modes of registration: how to get an account. */
const SECTION = /^<!-- ([a-z ]+) -->\n([\s\S]*?)<!-- end -->\n/gm;

/** The text for agents, with the URLs of this service and its mode of registration, which can change. */
export function createLlmsTexts(options: {
  baseUrl: string;
  registration(): Promise<RegistrationMode>;
}): () => Promise<string> {
  const texts = new Map<RegistrationMode, string>();
  return async () => {
    const mode = await options.registration();
    const text = texts.get(mode) ?? llmsText(options.baseUrl, mode);
    texts.set(mode, text);
    return text;
  };
}

function llmsText(baseUrl: string, mode: RegistrationMode): string {
  return TEXT.replace(SECTION, (_, modes: string, section: string) =>
    modes.split(' ').includes(mode) ? section : '',
  ).replaceAll('{{BASE_URL}}', baseUrl);
}
