import { join } from 'node:path';
import { describeSettings } from '../server/platform/config/settings.ts';

/** Writes docs/settings.md from the schema of the settings. */

export const SETTINGS_FILE = join(import.meta.dir, '../docs/settings.md');

const INTRODUCTION = `# Settings

<!-- Generated from server/platform/config/settings.ts by \`npm run settings\`; change it there. -->

Settings are environment variables. Quire does not read \`.env\` files, and an empty variable counts as not set. If a value is
invalid, the server does not start and lists every invalid value. [Running Quire](running.md#install) shows where to put the
settings on a server.
`;

export function settingsMarkdown(): string {
  const sections = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ name, meaning, fallback }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
    return `\n## ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRODUCTION + sections.join('');
}

if (import.meta.main) await Bun.write(SETTINGS_FILE, settingsMarkdown());
