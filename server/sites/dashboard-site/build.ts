import { isLanguage, type Language } from '../../../contract/rules/texts/languages.ts';
import { helperCommand, loadBuilt } from '../../lib/modules.ts';
import { makeVariants, type Variants } from '../../platform/http/index.ts';

/** The dashboard's files for browsers, in one language. */
export interface Bundle {
  script: string;
  stylesheet: string;
  /** The script with what errors say, if that is not in the code. It can load after the first screen. */
  errorTexts: string | undefined;
  /** Every file by its name, which changes with its content. */
  files: Map<string, { variants: Variants; type: string }>;
}

interface Built {
  name: string;
  isEntrance: boolean;
  text: string;
  translations: Partial<Record<Language, string>>;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** The file of a compiled program that has the dashboard. */
export const DASHBOARD_FILE = 'dashboard.json';

/** The dashboard in every language. Each takes a noticeable moment, so it is made once, for the first who needs it. */
export class Dashboard {
  #built: Promise<Built[]> | undefined;
  readonly #bundles = new Map<Language, Promise<Bundle>>();

  /** The files in a language. */
  bundle(language: Language): Promise<Bundle> {
    const known = this.#bundles.get(language);
    if (known) return known;
    const making = this.#load().then((built) => translate(built, language));
    this.#bundles.set(language, making);
    making.catch(() => this.#bundles.delete(language));
    return making;
  }

  /** A file of any language. */
  async file(name: string) {
    // All languages have the same styles.
    for (const making of this.#bundles.values()) {
      const found = (await making).files.get(name);
      if (found) return found;
    }
    return (await this.bundle(readLanguage(name))).files.get(name);
  }

  #load(): Promise<Built[]> {
    this.#built ??= loadBuilt(DASHBOARD_FILE).then(
      async (text) => JSON.parse(text ?? (await bundleDashboard())) as Built[],
    );
    this.#built.catch(() => {
      this.#built = undefined;
    });
    return this.#built;
  }
}

/** The names of files in another language begin with it. */
const toPrefix = (language: Language) => (language === 'en' ? '' : `${language}-`);

function readLanguage(name: string): Language {
  const start = name.split('-')[0];
  return name.includes('-') && isLanguage(start) ? start : 'en';
}

/** The files of a language: each script comes with its translations, and imports the others of the language. */
async function translate(built: Built[], language: Language): Promise<Bundle> {
  const prefix = toPrefix(language);
  const texts = built.map(({ translations }) => translations[language] ?? '');
  // A script that says nothing itself imports others that do.
  const sum = prefix && `${prefix}${Bun.hash(texts.join()).toString(36)}-`;
  const isOther = ({ name }: Built) => /-errors\./.test(name) && !name.startsWith(`${language}-`);
  const files = await Promise.all(
    built
      .filter((file) => !isOther(file))
      .map(async ({ name, text, translations }) => {
        const type = TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream';
        const isTranslated = prefix && name.endsWith('.js') && !name.startsWith(prefix);
        const [newName, newText] = isTranslated
          ? [sum + name, (translations[language] ?? '') + text.replaceAll(IMPORTED, `$1${sum}$2`)]
          : [name, text];
        const variants = await makeVariants(Buffer.from(newText), newName);
        return [newName, { variants, type }] as const;
      }),
  );
  const entrance = (start: string) =>
    built.find(({ name, isEntrance }) => isEntrance && name.startsWith(`${start}.`))?.name;
  return {
    script: sum + (entrance('main') ?? ''),
    stylesheet: entrance('styles') ?? '',
    errorTexts: entrance(`${language}-errors`),
    files: new Map(files),
  };
}

/** Where a script names another one. */
const IMPORTED = /("\/assets\/dashboard\/)([^"]+\.js")/g;

/** Bundles the dashboard into files, as JSON. */
export async function bundleDashboard(): Promise<string> {
  const child = Bun.spawn(helperCommand(new URL('./build.process.ts', import.meta.url)), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the dashboard could not be built: ${errors}`);
  return output;
}
