create table if not exists links (
  id integer primary key, url text not null unique, title text not null, note text not null,
  topic text not null, likes integer not null default 0, added_at text not null,
  sample integer not null default 0
);
insert into links (url, title, note, topic, likes, added_at, sample) values
  ('https://en.wikipedia.org/wiki/Desire_path', 'Desire paths', 'Why people never walk where the planners thought they would.', 'read', 9, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1),
  ('https://sqlite.org/whyc.html', 'Why SQLite is written in C', 'Calm engineering, explained in one page.', 'read', 4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1),
  ('https://www.rijksmuseum.nl/en', 'Rijksmuseum, after closing time', 'Zoom in until you see the brush.', 'watch', 12, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1),
  ('https://www.nasa.gov/voyager', 'Where is Voyager now?', '', 'watch', 7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1),
  ('https://web.dev/learn/css', 'Learn CSS', 'Three evenings well spent.', 'make', 5, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1),
  ('https://www.openstreetmap.org', 'Put your street on the map', 'Ten minutes, and it stays.', 'make', 3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1);
