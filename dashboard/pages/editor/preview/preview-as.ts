import { useEffect, useRef, useState } from 'preact/hooks';
import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import type { PreviewedAs, PreviewSession } from '../../../../contract/pages/previews.ts';
import { ApiError, call } from '../../../api.ts';
import { me } from '../../../session.ts';
import { t } from '../../../texts/index.ts';
import { say } from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';

/** Whom the preview shows the page to. `me` has the highest role that the person has. */
export type Viewer = 'nobody' | 'me' | Exclude<PreviewedAs, 'owner'>;

/** Sessions are replaced a while before they end. */
const RENEW_BEFORE_MS = 5 * 60_000;

export function listViewers({ storageMode }: PageDetail): Array<readonly [Viewer, string]> {
  const roles: Array<readonly [Viewer, string]> = [
    ['admin', t('Me as an admin')],
    ['member', t('Me as a member')],
    ['viewer', t('Me as a viewer')],
  ];
  return [
    ['nobody', t('Nobody')],
    ['me', t('Me')],
    ...(storageMode === 'team_app' ? roles : []),
    ['visitor', t('Me without a role')],
  ];
}

/** The choice for this page, and the page session that goes with it. The session is undefined until it is known. */
export function usePreviewAs(page: PageDetail) {
  const key = `quire-preview-as-${me.value?.id}-${page.id}`;
  const [viewer, setViewer] = useState<Viewer>(() => readChoice(key, page));
  const [session, setSession] = useState<{ viewer: Viewer; token: string | null }>();
  const renewing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    let isOutdated = false;
    const start = async () => {
      if (viewer === 'nobody') return setSession({ viewer, token: null });
      const made = await makeSession(page.id, viewer);
      if (isOutdated) return;
      setSession({ viewer, token: made.pageSession });
      renewing.current = setTimeout(start, made.expiresIn * 1000 - RENEW_BEFORE_MS);
    };
    start().catch((error: Error) => {
      if (isOutdated) return;
      say(error.message, 'bad');
      setViewer('nobody');
    });
    return () => {
      isOutdated = true;
      clearTimeout(renewing.current);
    };
  }, [viewer, page.id]);
  const choose = (next: Viewer) => {
    setViewer(next);
    writeChoice(key, next);
  };
  // The frame must not show the page to somebody else meanwhile.
  return { viewer, choose, session: session?.viewer === viewer ? session.token : undefined };
}

async function makeSession(pageId: number, viewer: Exclude<Viewer, 'nobody'>): Promise<PreviewSession> {
  const ask = (as: PreviewedAs) =>
    call(pageEndpoints.createPreviewSession, { params: { id: pageId }, body: { as } });
  if (viewer !== 'me') return ask(viewer);
  return ask('owner').catch((error: unknown) => {
    // An admin of the team edits the page.
    if (error instanceof ApiError && error.status === 403) return ask('admin');
    throw error;
  });
}

function readChoice(key: string, page: PageDetail): Viewer {
  try {
    const stored = localStorage.getItem(key);
    return listViewers(page).find(([viewer]) => viewer === stored)?.[0] ?? 'nobody';
  } catch {
    return 'nobody';
  }
}

function writeChoice(key: string, viewer: Viewer): void {
  try {
    if (viewer === 'nobody') localStorage.removeItem(key);
    else localStorage.setItem(key, viewer);
  } catch {
    // Storage is disabled: the choice lasts until the screen is left.
  }
}
