import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
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

/** What the person has, what pages may take of it, and where it went. */
export function CreditsScreen() {
  const overview = useLoad(readCredits, []);
  const withdraw = async ({ pageId, page }: Consent) => {
    await withdrawConsent(pageId);
    say(`${page.name} can no longer use your credits.`);
    await overview.reload();
  };

  return (
    <>
      <Section title="Balance" hint="Pages use credits for chat and images, when you let them.">
        <Show loaded={overview}>
          {({ balance }) => (
            <p class="account-balance">
              <strong>{formatCredits(balance)}</strong> {balance === 1 ? 'credit' : 'credits'}
            </p>
          )}
        </Show>
      </Section>
      <Section title="Pages that may use your credits" hint="A page asks again when its limit is reached.">
        <Show loaded={overview}>
          {({ consents }) =>
            consents.length === 0 ? (
              <Empty title="None">A page that wants to use your credits asks you first.</Empty>
            ) : (
              <Table
                caption="Pages that may use your credits"
                rows={consents}
                keyOf={({ pageId }) => pageId}
                columns={[
                  { title: 'Page', cell: ({ page }) => <a href={`/p/${page.slug}`}>{page.name}</a> },
                  {
                    title: 'Used',
                    cell: ({ used, limit }) => `${formatCredits(used)} of ${plural(limit, 'credit')}`,
                    isNumber: true,
                  },
                  { title: 'Since', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
                  {
                    title: 'Actions',
                    cell: (consent) => (
                      <Button
                        kind="bare"
                        label={`Withdraw from ${consent.page.name}`}
                        onClick={() => withdraw(consent)}
                      >
                        Withdraw
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Show>
      </Section>
      <History />
    </>
  );
}

function History() {
  const [offset, setOffset] = useState(0);
  const page = useLoad(() => listHistory(offset), [offset]);
  return (
    <Section title="History">
      <Show loaded={page}>
        {({ history, total, limit }) =>
          history.length === 0 ? (
            <Empty title="Nothing yet">What you are given and what pages use appears here.</Empty>
          ) : (
            <>
              <Table
                caption="History of your credits"
                rows={history}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'When', cell: ({ createdAt }) => formatMoment(createdAt) },
                  {
                    title: 'What',
                    cell: ({ kind, reason, page }) => (
                      <>
                        <Badge kind={kind === 'grant' ? 'good' : 'plain'}>
                          {kind === 'grant' ? 'Given' : 'Used'}
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
