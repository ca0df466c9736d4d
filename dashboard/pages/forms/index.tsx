import { useEffect } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty, type Loaded, Show, Skeleton, Tabs, useRefresh } from '../../ui/index.ts';
import { type PageDetail, SHARE, toPageScreen } from '../api.ts';
import type { FormList } from './api.ts';
import { Inbox } from './inbox.tsx';
import { Notices } from './notices.tsx';
import { Snippet } from './snippet.tsx';
import { Unread } from './unread.tsx';

const REFRESH_EVERY_MS = 20_000;

interface Props {
  page: PageDetail;
  forms: Loaded<FormList>;
  /** The name of the form in the URL. */
  chosen: string | undefined;
}

/** The messages that visitors have sent with the forms of a page. */
export function FormsScreen({ page, forms, chosen }: Props) {
  // What was loaded with the page may be old.
  useEffect(() => void forms.refresh(), [forms.refresh]);
  useRefresh(forms.refresh, REFRESH_EVERY_MS);
  return (
    <Show loaded={forms} skeleton={<Skeleton lines={8} />}>
      {({ forms: list, formNotices }) => {
        const form = chosen === undefined ? list[0] : list.find(({ name }) => name === chosen);
        return (
          <>
            {list.length > 1 && (
              <Tabs
                base={toPageScreen(page.id, 'forms')}
                tabs={list.map(({ name, unread }) => [
                  name,
                  <>
                    {name} <Unread count={unread} />
                  </>,
                ])}
                current={form?.name ?? ''}
                label={t('Forms')}
              />
            )}
            {form ? (
              <Inbox key={form.name} page={page} form={form} onChanged={forms.reload} />
            ) : (
              <NoMessages page={page} chosen={chosen} />
            )}
            {formNotices !== undefined && <Notices pageId={page.id} isOn={formNotices} />}
          </>
        );
      }}
    </Show>
  );
}

/** A form in the HTML, or a script that sends messages. Files of the page can have forms, too, but are not read here. */
const HAS_FORM = /\bdata-quire-form\b|\bPageForms\b/;

function NoMessages({ page, chosen }: Pick<Props, 'page' | 'chosen'>) {
  const title = t('No messages yet');
  if (chosen === undefined && HAS_FORM.test(page.html_content))
    return (
      <Empty
        icon="mail"
        title={title}
        action={<Link href={toPageScreen(page.id, SHARE)}>{t('Share the page')}</Link>}
      >
        {t('Messages that visitors send with the form of this page appear here.')}
      </Empty>
    );
  return (
    <>
      <Empty icon="mail" title={title}>
        {chosen
          ? t(
              'Messages that visitors send with the form {name} appear here. Paste this into the page to get one:',
              { name: chosen },
            )
          : t(
              'Messages that visitors send with a form of this page appear here. Paste this into the page to get one:',
            )}
      </Empty>
      <Snippet name={chosen} />
    </>
  );
}
