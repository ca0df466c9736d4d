create table if not exists notes (
  id integer primary key, name text not null, text text not null, signed_at text not null,
  sample integer not null default 0
);
insert into notes (name, text, signed_at, sample) values
  ('Ada', 'We came for an hour and stayed until the candles were out.', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-9 days'), 1),
  ('Tomás & Ines', 'The soup! Nobody told us about the soup. We are coming back for it.', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-3 days'), 1),
  ('Grace', 'A good house has a chair by the window. This one has two.', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-5 hours'), 1);
