/** What an export has. */
interface Taken {
  path: string;
  what: string;
}

/** What an export does not have, or what does not run elsewhere. */
interface Left {
  path: string;
  why: string;
}

/** What an export takes along, and what it leaves. */
export class ExportReport {
  readonly taken: Taken[] = [];
  readonly left: Left[] = [];

  take(path: string, what: string): void {
    this.taken.push({ path, what });
  }

  leave(path: string, why: string): void {
    this.left.push({ path, why });
  }

  /** For the terminal. */
  toText(): string {
    const width = Math.max(...this.taken.map(({ path }) => path.length));
    const taken = this.taken.map(({ path, what }) => `  ${path.padEnd(width)}  ${what}`);
    const left = this.left.map(({ path, why }) => `  ${path}: ${why}`);
    return [...taken, ...(left.length > 0 ? ['Does not run elsewhere:', ...left] : [])].join('\n');
  }

  /** For the folder. */
  toMarkdown(page: { name: string; url: string; version: number }): string {
    const row = (path: string, said: string) => `- \`${path.replaceAll('`', "'")}\`: ${said}`;
    return [
      `# ${toLine(page.name)}`,
      `Exported from ${page.url}, version ${page.version}.`,
      '## What is here',
      this.taken.map(({ path, what }) => row(path, what)).join('\n'),
      '## What does not run elsewhere',
      this.left.map(({ path, why }) => row(path, why)).join('\n') || 'Everything runs elsewhere.',
      RUN,
    ].join('\n\n');
  }
}

const RUN = `## Run it

- \`site/\` is for any host of static files.
- Each folder in \`functions/\` is a Worker: \`npm install\`, then \`npm run dev\`. If it has a database, first \`npm run migrate\`.
  To publish it at Cloudflare: \`npx wrangler d1 create <name>\`, its id into \`wrangler.toml\`, \`npm run migrate -- --remote\`,
  the secrets, and \`npm run deploy\`.
- Without Workers: \`sqlite3 new.db < migrations/0000_export.sql\` makes the database.
- To bring it back to Quire: \`quire pages push site\` and \`quire functions push functions/<name>\`.
`;

/** A heading is one line. */
const toLine = (name: string) => name.replaceAll(/\s+/g, ' ').trim();
