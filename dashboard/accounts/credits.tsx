import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  type Column,
  Empty,
  formatCredits,
  formatMoment,
  Pager,
  plural,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../ui/index.ts';
import { type Consent, listHistory, readCredits, withdrawConsent } from './api.ts';

/** The balance, the pages that may use it, and the history. */
export function CreditsScreen() {
  const overview = useLoad(readCredits, []);
  const withdraw = async ({ pageId, page }: Consent) => {
    await withdrawConsent(pageId);
    say(`${page.name} can no longer use your credits.`);
    await overview.reload();
  };

  return (
    <>
      <Section title="Balance" hint="Pages use credits for AI chat and images, if you allow it.">
        <Show loaded={overview}>
          {({ balance }) => (
            <p class="account-balance">
              <strong>{formatCredits(balance)}</strong> {balance === 1 ? 'credit' : 'credits'}
            </p>
          )}
        </Show>
      </Section>
      <Section
        title="Pages that can use your credits"
        hint="When a page reaches its limit, it asks you again."
      >
        <Show loaded={overview}>
          {({ consents }) =>
            consents.length === 0 ? (
              <Empty title="No pages">A page must ask you before it can use your credits.</Empty>
            ) : (
              <Table
                caption="Pages that can use your credits"
                rows={consents}
                keyOf={({ pageId }) => pageId}
                columns={columns(withdraw)}
              />
            )
          }
        </Show>
      </Section>
      <History />
    </>
  );
}

const columns = (onRemove: (consent: Consent) => Promise<void>): Array<Column<Consent>> => [
  { title: 'Page', cell: ({ page }) => <a href={`/p/${page.slug}`}>{page.name}</a> },
  {
    title: 'Used',
    cell: ({ used, limit }) => `${formatCredits(used)} of ${plural(limit, 'credit')}`,
    isNumber: true,
  },
  { title: 'Allowed', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: 'Actions',
    cell: (consent) => (
      <Button kind="bare" label={`Remove access for ${consent.page.name}`} onClick={() => onRemove(consent)}>
        Remove access
      </Button>
    ),
  },
];

function History() {
  const [offset, setOffset] = useState(0);
  const page = useLoad(() => listHistory(offset), [offset]);
  return (
    <Section title="History">
      <Show loaded={page}>
        {({ history, total, limit }) =>
          history.length === 0 ? (
            <Empty title="No history yet">Credits that you receive and that pages use appear here.</Empty>
          ) : (
            <>
              <Table
                caption="Credit history"
                rows={history}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Date', cell: ({ createdAt }) => formatMoment(createdAt) },
                  {
                    title: 'Description',
                    cell: ({ kind, reason, page }) => (
                      <>
                        <Badge kind={kind === 'grant' ? 'good' : 'plain'}>
                          {kind === 'grant' ? 'Received' : 'Used'}
                        </Badge>{' '}
                        {reason}
                        {page && (
                          <>
                            {' '}
                            on <a href={`/p/${page.slug}`}>{page.name}</a>
                          </>
                        )}
                      </>
                    ),
                  },
                  { title: 'Credits', cell: ({ credits }) => signed(credits), isNumber: true },
                ]}
              />
              <Pager {...{ offset, limit, total }} shown={history.length} onMove={setOffset} />
            </>
          )
        }
      </Show>
    </Section>
  );
}

const signed = (credits: number) => `${credits > 0 ? '+' : '−'}${formatCredits(Math.abs(credits))}`;
