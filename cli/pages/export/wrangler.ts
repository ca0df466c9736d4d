import { COMPATIBILITY_DATE } from '../../../contract/rules/projects/worker-settings.ts';

/** What the settings of an exported Worker say. */
export interface WorkerSettings {
  name: string;
  /** The path of the main module. */
  main: string;
  vars: Record<string, string>;
  /** Names only. */
  secrets: string[];
  database: { binding: string; name: string; migrations: string } | undefined;
  crons: string[];
  /** Endings of files that are imported as text and that wrangler does not take for text by itself. */
  textEndings: string[];
}

/** Stands for the id of a database, which `wrangler d1 create` prints. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The settings as `wrangler.toml`. */
export function writeWranglerToml(settings: WorkerSettings): string {
  const { name, main, vars, secrets, database, crons, textEndings } = settings;
  const parts = [
    `name = ${quote(name)}
main = ${quote(main)}
compatibility_date = ${quote(COMPATIBILITY_DATE)}
compatibility_flags = ["nodejs_compat"]`,
    secrets.length > 0 &&
      [
        '# Values of secrets are not exported. Set each of them:',
        ...secrets.map((each) => `#   npx wrangler secret put ${each}`),
      ].join('\n'),
    textEndings.length > 0 &&
      `[[rules]]
type = "Text"
globs = [${textEndings.map((ending) => quote(`**/*${ending}`)).join(', ')}]
fallthrough = true`,
    Object.keys(vars).length > 0 &&
      ['[vars]', ...Object.entries(vars).map(([key, value]) => `${quote(key)} = ${quote(value)}`)].join('\n'),
    database &&
      `# npx wrangler d1 create ${database.name} prints the id. On your own machine, any id will do.
[[d1_databases]]
binding = ${quote(database.binding)}
database_name = ${quote(database.name)}
database_id = ${quote(NO_ID)}
migrations_dir = ${quote(database.migrations)}`,
    crons.length > 0 && `[triggers]\ncrons = [${crons.map(quote).join(', ')}]`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** A text in TOML. Its escapes are those of JSON. */
const quote = (text: string) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');
