import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import { type ExportFile, exportFile, exportLines } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Db, eachRow } from '../../../platform/storage/index.ts';
import { listConsents } from '../consent-store.ts';
import { findBalance } from '../store.ts';

/** Exports the balance of a user, everything that was granted and spent, and the pages that may spend. */
export async function* exportCredits(db: Db, userId: number): AsyncGenerator<ExportFile> {
  const consents = await listConsents(db, userId);
  yield exportFile('credits/credits.json', {
    balance: toCredits(await findBalance(db, userId)),
    consents: consents.map((row) => ({
      pageId: row.page_id,
      limit: toCredits(row.limit_tokens),
      used: toCredits(row.used_tokens),
      publish: row.canPublish,
      createdAt: toTimestamp(row.created_at),
    })),
  });
  yield exportLines('credits/history.jsonl', history(db, userId));
}

async function* history(db: Db, userId: number) {
  const transfers = db
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .select(['ledger_transfers.id', 'kind', 'page_id', 'feature', 'reason', 'created_at'])
    .select('tokens')
    .where('user_id', '=', userId)
    .where('kind', 'in', ['grant', 'settle'])
    .where('account', 'in', ['issued', 'spent']);
  for await (const row of eachRow(transfers, { by: 'ledger_transfers.id', size: 500 }))
    yield {
      kind: row.kind === 'grant' ? 'granted' : 'spent',
      credits: toCredits(Math.abs(row.tokens)),
      reason: row.reason,
      feature: row.feature,
      pageId: row.page_id,
      createdAt: toTimestamp(row.created_at),
    };
}
