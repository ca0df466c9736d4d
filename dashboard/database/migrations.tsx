import { t } from '../texts/index.ts';
import { Badge, Empty, formatMoment, Show, Table, useLoad } from '../ui/index.ts';
import { listMigrations } from './api.ts';

/** The migrations that the database has, and those that the next deploy applies. */
export function MigrationsView({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listMigrations(slug, signal), [slug]);
  return (
    <Show loaded={loaded}>
      {(migrations) =>
        migrations.length === 0 ? (
          <Empty icon="database" title={t('No migrations yet')}>
            {t(
              'Add SQL files such as migrations/0001_notes.sql to the files of the function. Each deploy applies those that are new, in order, before the new code serves.',
            )}
          </Empty>
        ) : (
          <div class="stacks">
            <Table
              caption={t('Migrations')}
              rows={migrations}
              getKey={({ name }) => name}
              columns={[
                { title: t('Migration'), cell: ({ name }) => <code>{name}</code> },
                {
                  title: t('Applied'),
                  cell: ({ appliedAt, pending }) =>
                    pending ? (
                      <Badge kind="warn">{t('With the next deploy')}</Badge>
                    ) : appliedAt ? (
                      formatMoment(appliedAt)
                    ) : (
                      t('Yes')
                    ),
                },
              ]}
            />
          </div>
        )
      }
    </Show>
  );
}
