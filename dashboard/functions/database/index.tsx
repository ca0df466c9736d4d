import { Empty, Tabs } from '../../ui/index.ts';
import { SqlConsole } from './sql-console.tsx';
import { TablesView } from './tables.tsx';
import { TransferView } from './transfer.tsx';

/** A function's database: its tables, a console for SQL, and the way out and in. */
export function DatabasePart({ slug, detail }: { slug: string; detail: string }) {
  return (
    <div class="fn-database">
      <Tabs
        label="Parts of the database"
        base={`/functions/${slug}/database`}
        current={detail}
        tabs={[
          ['', 'Tables'],
          ['sql', 'SQL'],
          ['transfer', 'Export and import'],
        ]}
      />
      <View slug={slug} detail={detail} />
    </div>
  );
}

function View({ slug, detail }: { slug: string; detail: string }) {
  if (detail === '') return <TablesView slug={slug} />;
  if (detail === 'sql') return <SqlConsole slug={slug} />;
  if (detail === 'transfer') return <TransferView slug={slug} />;
  return <Empty title="Nothing here">A database has no such part.</Empty>;
}
