import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { type TestApp, type TestUser, testApp } from '../app.ts';
import { type Bank, openBank } from '../credits.ts';
import { startToolVendor, type ToolVendor } from './tool-vendor.ts';

/** A service whose provider is a small server with a script. */
export interface BuilderApp {
  quire: TestApp;
  vendor: ToolVendor;
  bank: Bank;
  stop(): Promise<void>;
}

export async function startBuilderApp(settings: Record<string, string> = {}): Promise<BuilderApp> {
  const vendor = await startToolVendor();
  const quire = await testApp({
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model-a',
    QUIRE_CREDITS_NEW_USER: '1000',
    ...settings,
  });
  const bank = await openBank(quire);
  return {
    quire,
    vendor,
    bank,
    async stop() {
      await bank.stop();
      await quire.stop();
      await vendor.stop();
    },
  };
}

export type EventOf<Type extends BuilderEvent['type']> = Extract<BuilderEvent, { type: Type }>;

/** Runs the builder and returns the response with all its events. */
export async function runBuilder(
  quire: TestApp,
  user: Pick<TestUser, 'token'>,
  body: Record<string, unknown>,
  pageId?: number,
) {
  const response = await openRun(quire, user, body, pageId);
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const events = isStream ? parseEvents(text) : [];
  return {
    status: response.status,
    // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
    body: (isStream ? undefined : JSON.parse(text)) as any,
    events,
    all: <Type extends BuilderEvent['type']>(type: Type) =>
      events.filter((event): event is EventOf<Type> => event.type === type),
    done: events.find((event): event is EventOf<'done'> => event.type === 'done'),
    error: events.find((event): event is EventOf<'error'> => event.type === 'error'),
  };
}

export function openRun(
  quire: TestApp,
  { token }: Pick<TestUser, 'token'>,
  body: Record<string, unknown>,
  pageId?: number,
): Promise<Response> {
  return quire.request(pageId === undefined ? '/api/builder' : `/api/builder/${pageId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export function parseEvents(text: string): BuilderEvent[] {
  const events: BuilderEvent[] = [];
  const parser = new EventParser(({ data }) => {
    if (data !== undefined) events.push(JSON.parse(data) as BuilderEvent);
  });
  parser.push(text);
  return events;
}

/** What the model got back for its last calls. */
export function lastResults(vendor: ToolVendor): string {
  const messages = (vendor.seen.at(-1)?.body.messages ?? []) as { role: string; content: unknown }[];
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
}
