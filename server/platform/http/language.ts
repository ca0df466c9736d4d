import { AsyncLocalStorage } from 'node:async_hooks';
import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../../contract/rules/texts/languages.ts';

const CHOSEN = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=(\\w+)`);
/** More of a header is not read. */
const MAX_LETTERS = 500;

const spoken = new AsyncLocalStorage<Language>();

/** Makes a response in the language of the person who sent the request. */
export function withRequestLanguage<Result>(request: Request, make: () => Result): Result {
  return spoken.run(chooseLanguage(request), make);
}

/** The language of the response that is being made. */
export const language = (): Language => spoken.getStore() ?? 'en';

/** The language for a person: the one they chose, or else the first of their browser's that we have. */
export function chooseLanguage({ headers }: Request): Language {
  const chosen = CHOSEN.exec(headers.get('cookie') ?? '')?.[1];
  return isLanguage(chosen) ? chosen : preferred(headers.get('accept-language') ?? '');
}

/** `fr, de;q=0.8, en;q=0.5` prefers German, because we have no French. */
function preferred(header: string): Language {
  const offered = header
    .slice(0, MAX_LETTERS)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { name: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ name }) => name);
  return offered.find(isLanguage) ?? 'en';
}
