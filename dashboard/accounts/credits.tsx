import { useState } from 'preact/hooks';
import { rich, t } from '../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Empty,
  formatCredits,
  formatMoment,
  Pager,
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
    say(t('{name} can no longer use your credits.', { name: page.name }));
    await overview.reload();
  };

  return (
    <>
      <Section title={t('Balance')} hint={t('Pages use credits for AI chat and images, if you allow it.')}>
        <Show loaded={overview}>
          {({ balance }) => (
            <p class="account-balance">
              {rich(
                '<b>{amount}</b> {count|credit|credits}',
                { b: (text) => <strong>{text}</strong> },
                { amount: formatCredits(balance), count: balance },
              )}
            </p>
          )}
        </Show>
      </Section>
      <Section
        title={t('Pages that can use your credits')}
        hint={t('When a page reaches its limit, it asks you again.')}
      >
        <Show loaded={overview}>
          {({ consents }) =>
            consents.length === 0 ? (
              <Empty icon="page" title={t('No pages')}>
                {t('A page must ask you before it can use your credits.')}
              </Empty>
            ) : (
              <Table
                caption={t('Pages that can use your credits')}
                rows={consents}
                getKey={({ pageId }) => pageId}
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
  { title: t('Page'), cell: ({ page }) => <a href={`/p/${page.slug}`}>{page.name}</a> },
  {
    title: t('Used'),
    cell: ({ used, limit }) =>
      limit === 0
        ? t('None')
        : t('{used} of {limit|one credit|{limit} credits}', { used: formatCredits(used), limit }),
    isNumber: true,
  },
  {
    title: t('Publish in your name'),
    cell: ({ publish }) => (publish ? t('Yes') : t('No')),
    isMinor: true,
  },
  { title: t('Allowed'), cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: (consent) => (
      <Button
        kind="bare"
        label={t('Remove access for {name}', { name: consent.page.name })}
        onClick={() => onRemove(consent)}
      >
        {t('Remove access')}
      </Button>
    ),
  },
];

/** What the server writes into the history. What an administrator wrote is shown as it is. */
const REASONS: Readonly<Record<string, string>> = {
  'AI chat': t('AI chat'),
  'AI in a function': t('AI in a function'),
  'Image generation': t('Image generation'),
  'Image recognition': t('Image recognition'),
  'Opening balance': t('Opening balance'),
  'Page builder': t('Page builder'),
  'Preview image': t('Preview image'),
};
const reasonName = (reason: string) => (Object.hasOwn(REASONS, reason) ? REASONS[reason] : reason) ?? reason;

function History() {
  const [offset, setOffset] = useState(0);
  const page = useLoad(() => listHistory(offset), [offset]);
  return (
    <Section title={t('History')}>
      <Show loaded={page}>
        {({ history, total, limit }) =>
          history.length === 0 ? (
            <Empty icon="history" title={t('No history yet')}>
              {t('Credits that you receive and that pages use appear here.')}
            </Empty>
          ) : (
            <>
              <Table
                caption={t('Credit history')}
                rows={history}
                getKey={({ id }) => id}
                columns={[
                  { title: t('Date'), cell: ({ createdAt }) => formatMoment(createdAt) },
                  {
                    title: t('Description'),
                    cell: ({ kind, reason, page }) => (
                      <>
                        <Badge kind={kind === 'grant' ? 'good' : 'plain'}>
                          {kind === 'grant' ? t('Received') : t('Used')}
                        </Badge>{' '}
                        {page
                          ? rich(
                              '{reason} on <a>{name}</a>',
                              { a: (text) => <a href={`/p/${page.slug}`}>{text}</a> },
                              { reason: reasonName(reason), name: page.name },
                            )
                          : reasonName(reason)}
                      </>
                    ),
                  },
                  { title: t('Credits'), cell: ({ credits }) => signed(credits), isNumber: true },
                ]}
              />
              {total > limit && (
                <Pager {...{ offset, limit, total }} shown={history.length} onMove={setOffset} />
              )}
            </>
          )
        }
      </Show>
    </Section>
  );
}

const signed = (credits: number) => `${credits > 0 ? '+' : '−'}${formatCredits(Math.abs(credits))}`;
