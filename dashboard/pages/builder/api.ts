import type { BuilderEvent, BuilderStatus } from '../../../contract/agents/builder.ts';
import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILDER_MINUTES } from '../../../contract/rules/builder-limits.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { call, request } from '../../api.ts';
import { followEvents } from '../../events.ts';

/** The endpoints of the builder. */

export interface Wish {
  prompt: string;
  draft?: number | undefined;
  html_content?: string | undefined;
}

export const getBuilder = (signal?: AbortSignal): Promise<BuilderStatus> =>
  call(builderEndpoints.getBuilder, { signal });

/** Starts a run, on a new page or on this one. Returns the id of the page. The run goes on without us. */
export async function startRun(pageId: number | undefined, wish: Wish): Promise<number> {
  const reading = new AbortController();
  // The run works with the token, which must last as long.
  const given = { body: wish, signal: reading.signal, validForMs: MAX_BUILDER_MINUTES * 60_000 };
  const response =
    pageId === undefined
      ? await request(builderEndpoints.buildNewPage, given)
      : await request(builderEndpoints.buildPage, { params: { id: pageId }, ...given });
  try {
    return pageId ?? (await readPageId(response));
  } finally {
    reading.abort();
  }
}

/** The first event of a run has its page. */
async function readPageId(response: Response): Promise<number> {
  let found: number | undefined;
  const parser = new EventParser(({ data }) => {
    const event = data === undefined ? undefined : (JSON.parse(data) as BuilderEvent);
    if (event?.type === 'run') found ??= event.run?.page.id;
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader && found === undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    parser.push(value);
  }
  if (found === undefined) throw new Error('The service did not say which page it builds.');
  return found;
}

interface Watching {
  signal: AbortSignal;
  onEvents: (events: BuilderEvent[]) => void;
  onConnection: (isConnected: boolean) => void;
}

/** Reports what happens in the person's runs on a page, until `signal` aborts. */
export const watchRuns = (id: number, { signal, onEvents, onConnection }: Watching): Promise<void> =>
  followEvents({
    connect: (each) => request(builderEndpoints.watchBuilder, { params: { id }, signal: each }),
    signal,
    onOpen: () => onConnection(true),
    onEvents: (events) => onEvents(events.map(({ data }) => data as BuilderEvent)),
    onLost: () => onConnection(false),
  });

/** Ends a run that nobody has seen anything of, and removes its page. */
export async function discardRun(id: number): Promise<void> {
  // It may have ended by itself.
  await stopBuilder(id).catch(() => undefined);
  await call(pageEndpoints.deletePage, { params: { id } });
}

export const stopBuilder = (id: number) => call(builderEndpoints.stopBuilder, { params: { id } });

const requestDraftFile = (id: number, draft: number, path: string) =>
  request(draftEndpoints.readDraftFile, { params: { id, draft, path } });

export const readDraftFile = async (id: number, draft: number, path: string) =>
  (await requestDraftFile(id, draft, path)).text();

export const readDraftBlob = async (id: number, draft: number, path: string) =>
  (await requestDraftFile(id, draft, path)).blob();

export const listMessages = (id: number, signal?: AbortSignal) =>
  call(pageEndpoints.listPageMessages, { params: { id }, signal });
