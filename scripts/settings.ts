import { join } from 'node:path';
import { SECRET_NAMES } from '../server/platform/config/secret-files.ts';
import { describeSettings } from '../server/platform/config/settings.ts';

/** Writes docs/settings.md and the values of the chart from the schema of the settings. */

export const SETTINGS_FILE = join(import.meta.dir, '../docs/settings.md');
export const CHART_SCHEMA = join(import.meta.dir, '../deploy/chart/values.schema.json');
/** What the chart itself sets, or the image. */
const SET_BY_CHART = ['PORT', 'QUIRE_HOST', 'QUIRE_DATA', 'QUIRE_CLUSTER_ADDRESS'];

const INTRODUCTION = `# Settings

*For administrators*

<!-- Generated from server/platform/config/settings.ts by \`npm run settings\`; change it there. -->

Settings are environment variables. Every command of the server can also read them from a file that \`--env-file\` or
\`QUIRE_ENV_FILE\` names; [Running Quire](running.md#the-environment-file) describes it. Quire reads no file that is not named, and
an empty variable counts as not set. If a value is invalid, the server does not start and lists every invalid value.

## Secrets in files

Each secret can be in a file of its own, as container systems and systemd's \`LoadCredential=\` provide it: instead of the
setting, set its name with \`_FILE\` to the path of the file, for example \`QUIRE_SECRET_FILE=/run/secrets/quire\`. This works
for these:

${SECRET_NAMES.map((name) => `\`${name}\``).join(', ')}

Setting both is an error. The file has the secret in one line, and is read at the start only: restart the server after a
change. \`quire doctor\` warns if everybody on the machine can read the file.
`;

export function settingsMarkdown(): string {
  const sections = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ name, meaning, fallback }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
    return `\n## ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRODUCTION + sections.join('');
}

/** The schema of the chart's values with all settings. What it says about one of them stays. */
export async function chartSchema() {
  const schema = await Bun.file(CHART_SCHEMA).json();
  const { settings, secrets } = schema.properties;
  const all = describeSettings().flatMap((section) => section.settings.map(({ name }) => name));
  const isSecret = (name: string) => SECRET_NAMES.some((secret) => secret === name);
  const describe = (names: string[], known: Record<string, object>) =>
    Object.fromEntries(names.map((name) => [name, known[name] ?? { type: 'string' }]));
  const others = all.filter((name) => !isSecret(name) && !SET_BY_CHART.includes(name));
  settings.properties = describe(others, settings.properties);
  secrets.properties = describe(all.filter(isSecret), secrets.properties);
  return schema;
}

if (import.meta.main) {
  await Bun.write(SETTINGS_FILE, settingsMarkdown());
  await Bun.write(CHART_SCHEMA, JSON.stringify(await chartSchema(), null, 2));
  Bun.spawnSync(['npx', 'biome', 'format', '--write', CHART_SCHEMA]);
}
