import type { PreviewedAs } from '../../../../contract/pages/previews.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { KeyHolder } from '../model/passes.ts';

/** Page sessions and tickets, with which a page's script acts as its visitor. */
export interface PageSessions {
  /** How long a page session lasts. */
  readonly seconds: number;
  make(actor: Actor, pageId: number): string | undefined;
  /** Makes a page session for a preview in the dashboard; undefined unless a browser's login asks. */
  makeForPreview(
    actor: Actor,
    pageId: number,
    maxRole: PreviewedAs,
  ): { pageSession: string; expiresIn: number } | undefined;
  find(token: string, pageId: number): Promise<Actor | undefined>;
  findAgain(
    visitor: Pick<KeyHolder, 'session' | 'checker' | 'maxRole' | 'endsAt'>,
  ): Promise<Actor | undefined>;
  makeTicket(actor: Actor, pageId: number, browser: string): string | undefined;
  redeemTicket(ticket: string, pageId: number, browserSecret: string): Promise<string | undefined>;
}
