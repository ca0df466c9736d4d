import { join } from 'node:path';
import { describeSettings } from '../server/platform/config/settings.ts';

/** Writes docs/settings.md from the schema of the settings, so that there is one place to change. */

export const SETTINGS_FILE = join(import.meta.dir, '../docs/settings.md');

const INTRODUCTION = `# Settings

<!-- Made from server/platform/config/settings.ts by \`npm run settings\`; change it there. -->

Settings are environment variables; no \`.env\` file is read, and an empty one counts as not set. A wrong value stops the
start with a message that names every wrong one. Where they go on a real server is in [Running Quire](running.md#install).
`;

export function settingsMarkdown(): string {
  const sections = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ name, meaning, fallback }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
    return `\n## ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRODUCTION + sections.join('');
}

if (import.meta.main) await Bun.write(SETTINGS_FILE, settingsMarkdown());
