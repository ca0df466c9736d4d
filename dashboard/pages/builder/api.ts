import type { BuilderEvent, BuilderStatus } from '../../../contract/agents/builder.ts';
import type { MessageList } from '../../../contract/pages/pages.ts';
import { MAX_BUILDER_MINUTES } from '../../../contract/rules/builder-limits.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { api, request, toApiError } from '../../api.ts';

/** The endpoints of the builder. */

export interface Wish {
  prompt: string;
  draft?: number | undefined;
  html_content?: string | undefined;
}

export const getBuilder = (signal?: AbortSignal) =>
  api.get<BuilderStatus>('/api/builder', signal && { signal });

/** Starts a run, on a new page or on this one, and reports its events until the last. */
export async function build(
  pageId: number | undefined,
  wish: Wish,
  signal: AbortSignal,
  onEvents: (events: BuilderEvent[]) => void,
): Promise<void> {
  const path = pageId === undefined ? '/api/builder' : `/api/builder/${pageId}`;
  // The run works with this token.
  const validForMs = MAX_BUILDER_MINUTES * 60_000;
  const response = await request('POST', path, { json: wish, signal, validForMs });
  if (!response.ok) throw await toApiError(response);
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

export const stopBuilder = (pageId: number) => api.delete(`/api/builder/${pageId}`);

export async function readDraftFile(pageId: number, draft: number, path: string): Promise<string> {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const response = await request('GET', `/api/pages/${pageId}/drafts/${draft}/files/${encoded}`);
  if (!response.ok) throw await toApiError(response);
  return response.text();
}

export const listMessages = (pageId: number, signal?: AbortSignal) =>
  api.get<MessageList>(`/api/pages/${pageId}/messages`, signal && { signal });
