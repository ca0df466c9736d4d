import type { GalleryList, GalleryPage, GalleryQuery } from '../../../../contract/pages/gallery.ts';
import { pageAddress } from '../../../../contract/pages/pages.ts';
import { GALLERY_TOPICS, type GalleryTopic } from '../../../../contract/rules/pages/gallery-topics.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Db, PagePictureRow, Storage } from '../../../platform/storage/index.ts';
import { previewUrl, toPicture } from '../model/wire.ts';
import { findPictures } from '../pictures/store.ts';
import { countTopics, type GalleryRow, listGallery } from './store.ts';

/** How long a list is used. Changes of pages on any node end that earlier; new names of users and views do not. */
const FRESH_MS = 10_000;
const MAX_LISTS = 100;
/** The rate limit per IP address of lists that are not in memory. */
const RATE = { points: 60, seconds: 60 };

interface Options {
  db: Db;
  storage: Pick<Storage, 'search'>;
  baseUrl: string;
  limits: Limits;
}

/** The pages that everyone finds at this server. A list is read once for all who ask for it at about the same time. */
export class Gallery {
  readonly #options: Options;
  readonly #limit: Limit;
  readonly #lists = new Map<string, { readAt: number; list: Promise<GalleryList> }>();

  constructor(options: Options) {
    this.#options = options;
    this.#limit = options.limits.limit(
      'gallery',
      RATE,
      'Too many searches of the gallery. Try again {wait}.',
    );
  }

  /** Lists the gallery. Without an address, for our own screens, nothing is limited. */
  async list(query: GalleryQuery, address?: string): Promise<GalleryList> {
    const key = makeKey(query);
    const known = this.#lists.get(key);
    if (known && performance.now() - known.readAt < FRESH_MS) return known.list;
    if (address !== undefined) await this.#limit.take(limitKey(address));
    const list = this.#read({ ...query, q: query.q?.trim() }, limitKey(address ?? ''));
    this.#keep(key, list);
    return list;
  }

  /** Call this when a page changes, here or on another node. */
  forget(): void {
    this.#lists.clear();
  }

  #keep(key: string, list: Promise<GalleryList>): void {
    this.#lists.delete(key);
    for (const [oldest] of this.#lists) {
      if (this.#lists.size < MAX_LISTS) break;
      this.#lists.delete(oldest);
    }
    const entry = { readAt: performance.now(), list };
    this.#lists.set(key, entry);
    list.catch(() => {
      if (this.#lists.get(key) === entry) this.#lists.delete(key);
    });
  }

  async #read(query: GalleryQuery, caller: string): Promise<GalleryList> {
    const { db, storage } = this.#options;
    const list = async (from: Db) => ({
      ...(await listGallery(from, query)),
      topics: await countTopics(from),
    });
    // Without the index, all pages of the gallery are read.
    const isSlow = query.q || query.topic || query.order !== 'newest';
    const { rows, total, topics } = await (isSlow ? storage.search(caller, list) : list(db));
    const pictures = await findPictures(
      db,
      rows.map(({ id }) => id),
    );
    const pages = rows.map((row) => this.#toWire(row, pictures.get(row.id)));
    return { pages, total, topics: toTopics(topics), limit: query.limit, offset: query.offset };
  }

  #toWire(row: GalleryRow, picture: PagePictureRow | undefined): GalleryPage {
    const { baseUrl } = this.#options;
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      author: row.author,
      url: pageAddress(baseUrl, row),
      picture: toPicture(picture, baseUrl),
      preview_image: previewUrl(baseUrl, row.preview_image),
      storage_mode: row.storage_mode,
      topic: row.topic,
      views: row.views,
      listed_at: toTimestamp(row.listed_at ?? 0),
      can_fork: true,
    };
  }
}

/** Lists that are equal have equal keys. */
const makeKey = ({ q, topic, order, limit, offset }: GalleryQuery) =>
  JSON.stringify([q?.trim().toLowerCase() ?? '', topic, order, limit, offset]);

const toTopics = (counts: ReadonlyMap<GalleryTopic, number>) =>
  GALLERY_TOPICS.flatMap((topic) => {
    const pages = counts.get(topic) ?? 0;
    return pages > 0 ? [{ topic, pages }] : [];
  });
