import { Empty, Tabs } from '../../ui/index.ts';
import { SqlConsole } from './sql-console.tsx';
import { TablesView } from './tables.tsx';
import { TransferView } from './transfer.tsx';

/** The database of a function: its tables, a SQL console, export and import. */
export function DatabasePart({ slug, detail }: { slug: string; detail: string }) {
  return (
    <div class="fn-database">
      <Tabs
        label="Database"
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
  return <Empty title="Not found">There is no screen at this URL.</Empty>;
}
