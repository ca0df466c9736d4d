/** The notes, the digests and the settings, in the function's database. */

export interface Note {
  id: number;
  author_id: number;
  author: string;
  text: string;
  posted_at: string;
}
interface Digest {
  made_at: string;
  html: string;
}
interface Settings {
  title: string;
  minimum: number;
  /** 1 if the team gets the digest by mail. */
  mail: number;
  page: number;
}

const MAX_NOTES = 300;
const SHOWN_DIGESTS = 14;
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const TABLES = [
  'create table if not exists notes (id integer primary key autoincrement, author_id integer not null, author text not null, text text not null, posted_at text not null, sample integer not null default 0)',
  'create table if not exists digests (first_note integer primary key, last_note integer not null, made_at text not null, html text not null, sample integer not null default 0)',
  'create table if not exists settings (name text primary key, value not null)',
];
const LAST_NOTE = '(select coalesce(max(last_note), 0) from digests)';
const SINCE_LAST = `id > ${LAST_NOTE}`;

export class Store {
  static async open(db: D1Database): Promise<Store> {
    await db.batch(TABLES.map((table) => db.prepare(table)));
    return new Store(db);
  }

  private constructor(private readonly db: D1Database) {}

  async settings(): Promise<Settings> {
    const { results } = await this.db
      .prepare('select name, value from settings')
      .all<{ name: string; value: unknown }>();
    return {
      title: 'Today on the team',
      minimum: 1,
      mail: 0,
      page: 0,
      ...Object.fromEntries(results.map((each) => [each.name, each.value])),
    };
  }

  async configure(settings: Partial<Settings>): Promise<undefined> {
    const set = this.db.prepare('insert or replace into settings values (?, ?)');
    await this.db.batch(Object.entries(settings).map(([name, value]) => set.bind(name, value)));
  }

  /** Everything that the page shows. */
  async show() {
    const [notes, digests, settings] = await Promise.all([
      this.db.prepare(`select * from notes where ${SINCE_LAST} order by id`).all<Note>(),
      this.db
        .prepare(`select made_at, html from digests order by first_note desc limit ${SHOWN_DIGESTS}`)
        .all<Digest>(),
      this.settings(),
    ]);
    return {
      title: settings.title,
      minimum: settings.minimum,
      mail: settings.mail === 1,
      notes: notes.results,
      digests: digests.results,
    };
  }

  async add(author: { id: number; name: string }, text: string): Promise<string | undefined> {
    const { meta } = await this.db
      .prepare(
        `insert into notes (author_id, author, text, posted_at)
          select ?, ?, ?, ? where (select count(*) from notes where ${SINCE_LAST}) < ${MAX_NOTES}`,
      )
      .bind(author.id, author.name, text, new Date().toISOString())
      .run();
    if (meta.changes === 0) return 'There are enough notes for one digest.';
  }

  async remove(author: { id: number }, id: number): Promise<string | undefined> {
    const { meta } = await this.db
      .prepare(`delete from notes where id = ? and author_id = ? and ${SINCE_LAST}`)
      .bind(id, author.id)
      .run();
    if (meta.changes === 0) return 'Only the author can remove a note, until it is in a digest.';
  }

  /** Two runs can happen at the same time: the second one must not add the same notes again, and returns false. */
  async addDigest(notes: Note[], html: string): Promise<boolean> {
    const [first, last] = [notes[0], notes.at(-1)];
    if (!first || !last) return false;
    const { meta } = await this.db
      .prepare(
        `insert into digests (first_note, last_note, made_at, html) select ?1, ?2, ?3, ?4 where ?1 > ${LAST_NOTE}`,
      )
      .bind(first.id, last.id, new Date().toISOString(), html)
      .run();
    return meta.changes > 0;
  }

  /** Notes that are in a digest, and old digests, are not kept forever. */
  async removeOld(): Promise<void> {
    await this.db.batch([
      this.db.prepare(`delete from notes where not ${SINCE_LAST}`),
      this.db
        .prepare('delete from digests where made_at < ?')
        .bind(new Date(Date.now() - KEPT_MS).toISOString()),
    ]);
  }
}
