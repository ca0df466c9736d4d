import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILDER_MINUTES } from '../../../contract/rules/builder-limits.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { call, request } from '../../api.ts';

/** The endpoints of the builder. */

export interface Wish {
  prompt: string;
  draft?: number | undefined;
  html_content?: string | undefined;
}

export const getBuilder = (signal?: AbortSignal) => call(builderEndpoints.getBuilder, { signal });

/** Starts a run, on a new page or on this one, and reports its events until the last. */
export async function build(
  pageId: number | undefined,
  wish: Wish,
  signal: AbortSignal,
  onEvents: (events: BuilderEvent[]) => void,
): Promise<void> {
  // The run works with the token, which must last as long.
  const given = { body: wish, signal, validForMs: MAX_BUILDER_MINUTES * 60_000 };
  const response =
    pageId === undefined
      ? await request(builderEndpoints.buildNewPage, given)
      : await request(builderEndpoints.buildPage, { params: { id: pageId }, ...given });
  const events: BuilderEvent[] = [];
  const parser = new EventParser(({ data }) => {
    if (data !== undefined) events.push(JSON.parse(data) as BuilderEvent);
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.push(value);
    if (events.length > 0) onEvents(events.splice(0));
  }
}

export const stopBuilder = (id: number) => call(builderEndpoints.stopBuilder, { params: { id } });

export const readDraftFile = async (id: number, draft: number, path: string) =>
  (await request(draftEndpoints.readDraftFile, { params: { id, draft, path } })).text();

export const listMessages = (id: number, signal?: AbortSignal) =>
  call(pageEndpoints.listPageMessages, { params: { id }, signal });
