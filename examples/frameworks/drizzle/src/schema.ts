import { relations } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** `npx drizzle-kit generate` writes migrations/ from this file. */

export const albums = sqliteTable('albums', {
  id: integer().primaryKey({ autoIncrement: true }),
  title: text().notNull(),
  year: integer().notNull(),
});

export const songs = sqliteTable('songs', {
  id: integer().primaryKey({ autoIncrement: true }),
  albumId: integer('album_id')
    .notNull()
    .references(() => albums.id, { onDelete: 'cascade' }),
  title: text().notNull(),
  seconds: integer().notNull(),
});

export const albumRelations = relations(albums, ({ many }) => ({ songs: many(songs) }));
export const songRelations = relations(songs, ({ one }) => ({
  album: one(albums, { fields: [songs.albumId], references: [albums.id] }),
}));
