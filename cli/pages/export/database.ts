import { databaseEndpoints } from '../../../contract/functions/database-endpoints.ts';
import { statements } from '../../../contract/rules/sql-statements.ts';
import { type Api, refusal } from '../../client/api.ts';
import { IdleTimer } from '../../client/idle-timer.ts';
import { CommandError, EXIT } from '../../usage.ts';
import { writeWholeBy } from '../../whole-file.ts';

const IDLE_MS = 60_000;
/** How many characters are searched for tables, which are at the start of an export. */
const HEAD_LETTERS = 1024 * 1024;

/**
 * wrangler creates this table before it applies the first migration. If the exported database has the table too, that one
 * replaces it, so that the migrations of the past count as applied.
 */
const WITH_OWN_NOTES = 'DROP TABLE IF EXISTS d1_migrations;\n';

/** Writes the database of a function as SQL text: its first migration. */
export async function writeDatabase(api: Api, slug: string, file: string): Promise<void> {
  const idle = new IdleTimer(IDLE_MS);
  const response = await api.send(
    databaseEndpoints.exportDatabase,
    { params: { slug } },
    { signal: idle.signal },
  );
  if (!response.ok || !response.body) throw refusal(response, await response.text(), api.baseUrl);
  const body = response.body.pipeThrough(new TextDecoderStream());
  try {
    await writeWholeBy(file, async (handle) => {
      let head: string | undefined = '';
      for await (const text of body) {
        idle.touch();
        if (head === undefined) {
          await handle.appendFile(text);
          continue;
        }
        head += text;
        if (head.length < HEAD_LETTERS) continue;
        await handle.appendFile(withNotes(head));
        head = undefined;
      }
      if (head !== undefined) await handle.appendFile(withNotes(head));
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `The database of ${slug} could not be downloaded from ${api.baseUrl}: ${(error as Error).message}`,
      EXIT.unreachable,
    );
  } finally {
    idle.stop();
  }
}

function withNotes(head: string): string {
  for (const statement of statements(head)) {
    if (/^CREATE\s+TABLE\s+["'`[]?d1_migrations\b/i.test(statement)) return WITH_OWN_NOTES + head;
    if (!/^(?:PRAGMA|CREATE)\b/i.test(statement)) break;
  }
  return head;
}
