import { eq, sql, sum } from 'drizzle-orm';
import * as schema from './schema.ts';
import { connect } from './transactions.ts';

/** Albums and their songs, with Drizzle and the function's database. */

interface Env {
  DB: D1Database;
}

interface NewAlbum {
  title: string;
  year: number;
  songs: Array<{ title: string; seconds: number }>;
}

const { albums, songs } = schema;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const db = connect(env.DB, { schema });
    const { add } = await request.json<{ add?: NewAlbum }>();
    if (add) {
      const { title, year } = add;
      await db.transaction(async (tx) => {
        const [album] = await tx.insert(albums).values({ title, year }).returning();
        if (!album || add.songs.length === 0) throw new Error('An album needs songs.');
        await tx.insert(songs).values(add.songs.map((song) => ({ ...song, albumId: album.id })));
      });
    }
    // A batch is one transaction.
    const [list, lengths] = await db.batch([
      db.query.albums.findMany({
        columns: { title: true, year: true },
        with: { songs: { columns: { title: true } } },
        orderBy: albums.year,
      }),
      db
        .select({ album: albums.title, minutes: sql<number>`round(${sum(songs.seconds)} / 60.0, 1)` })
        .from(albums)
        .innerJoin(songs, eq(songs.albumId, albums.id))
        .groupBy(albums.id)
        .orderBy(albums.year),
    ]);
    return Response.json({ success: true, data: { albums: list, lengths } });
  },
};
