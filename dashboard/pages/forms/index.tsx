import { useEffect } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Empty, type Loaded, Show, Skeleton, Tabs } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
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
  useRefresh(forms.reload);
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
              <Empty icon="mail" title={t('No messages yet')}>
                {chosen
                  ? t(
                      'Messages that visitors send with the form {name} appear here. Paste this into the page to get one:',
                      { name: chosen },
                    )
                  : t(
                      'Messages that visitors send with a form of this page appear here. Paste this into the page to get one:',
                    )}
              </Empty>
            )}
            {!form && <Snippet name={chosen} />}
            {formNotices !== undefined && <Notices pageId={page.id} isOn={formNotices} />}
          </>
        );
      }}
    </Show>
  );
}

/** Looks for new messages while the screen is visible. */
function useRefresh(reload: () => Promise<void>): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void reload();
    };
    // What was loaded with the page may be old.
    look();
    const timer = setInterval(look, REFRESH_EVERY_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [reload]);
}
