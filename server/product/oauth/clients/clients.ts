import { COMMAND_LINE_CLIENT } from '../../../../contract/oauth/protocol.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findClient } from '../store.ts';
import type { Client } from './client.ts';
import type { ClientDocuments } from './documents.ts';

/** Where our own programs are from. */
export const OURSELVES = 'Quire';

/** Our own command line, which uses only device codes. */
const COMMAND_LINE: Client = {
  id: COMMAND_LINE_CLIENT,
  name: 'Quire command line',
  redirectUris: [],
  publishedBy: OURSELVES,
};

/** Finds apps by their id: our own, registered ones, and those whose id is the URL of their document. */
export class Clients {
  readonly #db: Db;
  readonly #documents: ClientDocuments;

  constructor(options: { db: Db; documents: ClientDocuments }) {
    this.#db = options.db;
    this.#documents = options.documents;
  }

  /** `address` is who asks, because fetching a document is limited. */
  async find(clientId: string, address: string): Promise<Client | undefined> {
    if (clientId === COMMAND_LINE.id) return COMMAND_LINE;
    if (this.#documents.isUrl(clientId)) return this.#documents.find(clientId, address);
    const row = await findClient(this.#db, clientId);
    return row && { id: clientId, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[] };
  }
}
